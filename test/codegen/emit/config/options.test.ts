import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { emit } from '../../../../codegen/emit/emit.ts'
import { print } from '../../../../codegen/print/print.ts'
import type { OptionFacts } from '../../../../codegen/schema/ir.ts'
import { apiOf, specifiers } from '../../../support/ir.ts'

const options = suite('codegen/emit: options')

const at = { file: 'flags/demo.yaml', line: 1, column: 1 }

async function table(rows: readonly OptionFacts[]): Promise<string> {
  const set = {
    daemon: 'demo',
    description: 'A demo.',
    constraints: [],
    file: 'flags/demo.yaml',
    sections: [{ name: 'Main', options: rows }],
  }
  const artefacts = await emit({ ...apiOf([]), optionSets: [set] }, specifiers)
  return print(artefacts.find(({ path }) => path === 'options/demo.ts')!)
}

options('an option is a row; where it stands in its schema file stays behind', async () => {
  const port = {
    flag: 'port',
    type: 'int32',
    default: 0,
    minimum: 0,
    description: 'Port.',
    at,
  } as const
  assert.match(
    await table([port]),
    `/** The options of demo. */
export const options: OptionTable = {
  daemon: 'demo',
  description: 'A demo.',
  sections: [
    {
      name: 'Main',
      options: [
        {
          flag: 'port',
          type: 'int32',
          default: 0,
          minimum: 0,
          description: 'Port.',
        },
      ],
    },
  ],
}
`,
  )
})

options('a description that is too long for its line stands on the next one', async () => {
  const description = `Say ${'it '.repeat(40)}again.`
  const text = await table([{ flag: 'say', type: 'string', description, at }])
  assert.match(text, `          description:\n            '${description}',\n`)
})

options.run()
