import type { DescribedKey } from '../../codegen/schema/keys/shape.ts'
import type { Table } from './tables.ts'

const head = `# Schema files

<!-- Made by node dist/tools/reference.js of codegen/schema/keys/ and schemas/markers.yaml. -->

Every key that a schema file may have. [The first operator](../guide/first-operator.md) shows a whole file. Editors that know JSON
Schema complete and check these keys with this line at the top of a file:

    # yaml-language-server: $schema=../node_modules/orch/schemas/schema-file.schema.json

A key in **bold** is required.
`

/** The page for people. */
export function printReference(tables: readonly Table[]): string {
  return [head, ...tables.map(printTable)].join('\n')
}

function printTable({ title, about, shapes }: Table): string {
  const keys = shapes.flatMap((shape) => Object.entries(shape))
  const rows = keys.map(([name, key]) => row(name, key))
  return [
    `## ${title}`,
    '',
    about,
    '',
    '| key | value | what it says | example |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

function row(name: string, key: DescribedKey): string {
  const { type, about, otherwise, example } = key
  const shown = type.endsWith('!') ? `**\`${name}\`**` : `\`${name}\``
  const without = otherwise === undefined ? '' : ` Without it: ${otherwise}.`
  const cells = [shown, valueInWords(key), about + without, `\`${name}: ${example}\``]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}

/** What values a key may have, in words. */
function valueInWords({ type, values, parts }: DescribedKey): string {
  const list = type.startsWith('strings') ? 'a list of ' : ''
  if (values !== undefined) return list + values.map((value) => `\`${value}\``).join(', ')
  if (parts !== undefined) {
    const link = `[${parts.table.replace(/^A /, '')}](#${parts.table.toLowerCase().replaceAll(' ', '-')})`
    return {
      itself: `a ${link}`,
      values: `names, each with a ${link}`,
      items: `a list, each a ${link}`,
    }[parts.of]
  }
  const words: Readonly<Record<string, string>> = {
    any: 'any value',
    boolean: '`true` or `false`',
    integer: 'an integer',
    list: 'a list',
    mapping: 'a mapping',
    number: 'a number',
    string: 'a text',
    strings: 'a list of texts',
  }
  return words[type.replace('!', '')] ?? type
}
