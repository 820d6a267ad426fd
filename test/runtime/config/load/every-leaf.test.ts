// Whatever can be told in a file of a daemon: `explain` says where its value comes from, wherever that is.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { features } from '../../../../generated/features.ts'
import { optionTables } from '../../../../generated/options.ts'
import {
  type ConfigSource,
  configFiles,
  type Environment,
  type Explained,
  parseOptions,
} from '../../../../runtime/config/config.ts'
import {
  type Option,
  type OptionTable,
  optionsOf,
} from '../../../../runtime/kernel/options/option-table.ts'

const { configTemplate, explain, loadConfiguration } = await configFiles()

const test = suite('runtime/config: every leaf')

/** What fits each type of flag, as one writes it. */
const words: Readonly<Record<string, string>> = {
  ...{
    bool: 'true',
    string: 'word',
    strings: 'a,b',
    int: '7',
    int32: '7',
    int64: '7',
    float: '0.7',
  },
  ...{ duration: '7s', quantity: '7Mi', stringToBool: 'a=true', stringToString: 'a=b' },
  patterns: 'a=7',
}

/** What fits flags whose texts have a form, by its name. */
const formatted: Readonly<Record<string, string>> = {
  ...{
    assignments: 'a=7',
    headers: 'a:b',
    'numa-memory': '0:memory=1Gi',
    taints: 'a=b:NoSchedule',
  },
  thresholds: 'memory.available<1Gi',
}

/** The fields of a daemon with their values and origins, by path. */
async function fieldsOf(
  table: OptionTable,
  sources: readonly ConfigSource[],
  argv: readonly string[] = [],
  environment: Environment = {},
): Promise<ReadonlyMap<string, Explained>> {
  const commandLine = parseOptions(table, argv, environment)
  const configuration = await loadConfiguration({ table, commandLine, features, sources })
  const locate = {
    field: (_: unknown, field: string) => `schema ${field}`,
    flag: (_: string, flag: string) => `schema --${flag}`,
  }
  const rows = explain(table, configuration, locate)
  return new Map(rows.filter(({ name }) => !name.startsWith('--')).map((row) => [row.name, row]))
}

/** The last key on the path of a field. */
function keyOf(name: string): string {
  return /\[(.*)\]$/.exec(name)?.[1] ?? name.slice(name.lastIndexOf('.') + 1)
}

for (const [daemon, load] of Object.entries(optionTables)) {
  const table = await load()
  const { config } = table
  if (config === undefined) continue
  const text = configTemplate(config)

  test(`${daemon}: a default is said to be one, with the place in the schema`, async () => {
    const rows = await fieldsOf(table, [])
    assert.ok(rows.size > 80)
    for (const { name, origin } of rows.values()) assert.match(origin, /^default \(/, name)
  })

  for (const [origin, file] of [
    ['file', 'config.yaml'],
    ['fragment', '10.conf'],
  ] as const) {
    test(`${daemon}: what a ${origin} says is found in its line of it`, async () => {
      const rows = await fieldsOf(table, [{ name: file, text, origin }])
      assert.ok(rows.size > 80)
      const lines = text.split('\n')
      for (const row of rows.values()) {
        const [, at = ''] = new RegExp(`^${file}:(\\d+):\\d+$`).exec(row.origin) ?? []
        const line = lines[Number(at) - 1] ?? ''
        assert.ok(
          new RegExp(`${keyOf(row.name)}"?:`).test(line),
          `${row.name}: ${row.origin}: ${line}`,
        )
      }
    })
  }

  test(`${daemon}: what a flag or a variable says has its name, before any file`, async () => {
    const sources: readonly ConfigSource[] = [{ name: 'config.yaml', text, origin: 'file' }]
    const settable = optionsOf(table).filter(({ field }) => field !== undefined)
    assert.ok(settable.length > 80)
    const lost: string[] = []
    const check = async (option: Option, rows: ReadonlyMap<string, Explained>, said: string) => {
      const { field = '' } = option
      const found = [...rows.values()].filter(
        ({ name, origin }) => (name === field || name.startsWith(`${field}[`)) && origin === said,
      )
      if (found.length === 0) lost.push(`${said}: ${field} is of ${rows.get(field)?.origin}`)
    }
    for (const option of settable) {
      const word =
        formatted[option.format ?? ''] ?? option.values?.[0] ?? words[option.type] ?? 'word'
      const flag = `--${option.flag}`
      await check(option, await fieldsOf(table, sources, [`${flag}=${word}`]), flag)
      if (option.environment === undefined) continue
      const environment = { [option.environment]: word }
      await check(option, await fieldsOf(table, sources, [], environment), `$${option.environment}`)
    }
    assert.equal(lost, [])
  })
}

test.run()
