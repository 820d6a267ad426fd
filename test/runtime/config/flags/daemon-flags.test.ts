/**
 * Every row of the flag tables of document 2 (D2.2-D2.126 and D2.169-D2.295), from a copy of their facts: each flag is
 * there with its type and default, takes a value, and is in the help.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { features } from '../../../../generated/features.ts'
import { optionTables } from '../../../../generated/options.ts'
import { configFiles, helpText, parseOptions } from '../../../../runtime/config/config.ts'
import {
  type Option,
  type OptionTable,
  optionsOf,
} from '../../../../runtime/kernel/options/option-table.ts'
import { valueAtPath } from '../../../../runtime/kernel/values/dotted-path.ts'
import { factsOf } from '../../../support/facts.ts'

const { followPath: follow, loadConfiguration } = await configFiles()

const flags = suite('runtime/config: flags of the daemons')

const rows = factsOf('daemon-flags.txt')
const tables = new Map<string, OptionTable>()
for (const daemon of new Set(rows.map(([, daemon]) => daemon!))) {
  tables.set(daemon, await optionTables[daemon]!())
}
const help = new Map([...tables].map(([daemon, table]) => [daemon, helpText(table, 100)]))

/** The types as the document writes them, where ours are called otherwise. */
const types: Readonly<Record<string, readonly string[]>> = {
  '': ['word'],
  'version[=true]': ['word'],
  'key=True/False pairs': ['stringToBool'],
  'key=bool pairs': ['stringToBool'],
  'key=value pairs': ['stringToString'],
  'pattern=N,...': ['patterns'],
  'pattern=N list': ['patterns'],
  Level: ['int'],
}

/** Flags that the document gives as one text and whose text is a list. */
const lists: readonly string[] = ['tls-cipher-suites', 'tls-sni-cert-key']

const samples: Readonly<Record<string, string>> = {
  bool: 'true',
  int: '7',
  int32: '7',
  int64: '7',
  float: '0.5',
  string: 'text',
  duration: '90s',
  strings: 'a,b',
  stringArray: 'a,b',
  stringToString: 'a=b',
  stringToBool: 'AllAlpha=true',
  patterns: 'gc=4',
  word: 'true',
}

const formed: Readonly<Record<string, string>> = {
  thresholds: 'memory.available<1Gi',
  assignments: 'memory=1Gi',
  headers: 'Accept:text',
  taints: 'key=value:NoSchedule',
  'numa-memory': '0:memory=1Gi',
  patterns: 'gc=4',
}

function sampleOf({ format: form, values, type }: Option): string {
  if (form !== undefined) return formed[form]!
  return values?.[0] ?? samples[type]!
}

/** The default as the help prints it, without quotes and brackets. */
function defaultIn(daemon: string, flag: string): string {
  const text = help.get(daemon)!.replace(/\n {20,}/g, ' ')
  const line =
    text
      .split('\n')
      .find((each) => each.trimStart().replace(/^-., /, '').startsWith(`--${flag} `)) ?? ''
  return /\(default (.*?)\)(?: \(DEPRECATED|$)/.exec(line)?.[1]?.replace(/["[\]]/g, '') ?? ''
}

flags('there are 265 of them in the tables', () => {
  assert.is(rows.length, 265)
  for (const [daemon, table] of tables) {
    const known = new Set(rows.filter((row) => row[1] === daemon).map((row) => row[2]))
    const more = optionsOf(table).filter(({ flag }) => !known.has(flag))
    const ours =
      daemon === 'orchlet' ? ['check-config', 'help'] : ['config', 'config-dir', 'check-config']
    assert.equal(more.map(({ flag }) => flag).sort(), ours.sort())
  }
})

for (const [daemon, table] of tables) {
  flags(`${daemon} has every flag with its type, default and help, and takes a value`, () => {
    const byFlag = new Map(optionsOf(table).map((option) => [option.flag, option]))
    for (const [id, of, flag, type, value, deprecated] of rows) {
      if (of !== daemon) continue
      const option = byFlag.get(flag!)
      const row = `${id} --${flag}`
      assert.ok(option, `${row} is missing`)
      const wantedTypes = lists.includes(flag!)
        ? ['strings', 'stringArray']
        : (types[type!] ?? [type])
      assert.ok(wantedTypes.includes(option.type), `${row} is a ${option.type}`)
      assert.match(help.get(daemon)!.replaceAll('\n', ' '), `--${flag} `, row)
      if (value !== '~') {
        const wanted = value === 'false' ? '' : value!.replace(/["[\]]/g, '')
        assert.is(defaultIn(daemon, flag!), wanted, row)
      }
      if (deprecated !== '') assert.is(option.deprecated !== undefined, deprecated === 'yes', row)
      const name = flag!.replace('<vendor>', 'azure')
      const line = parseOptions(table, [`--${name}=${sampleOf(option)}`])
      assert.equal(line.errors, [], row)
      assert.is(line.options.origin(flag!), 'flag', row)
      const bare = option.type === 'bool' || option.type === 'word'
      const apart = parseOptions(table, bare ? [`--${name}`] : [`--${name}`, sampleOf(option)])
      assert.equal([apart.errors, apart.args], [[], []], row)
      if (!bare) assert.equal(apart.options.value(flag!), line.options.value(flag!), row)
      else assert.ok([true, 'true'].includes(apart.options.value(flag!) as string), row)
      assert.is(parseOptions(table, []).options.origin(flag!), 'default', row)
    }
  })

  flags(`a flag of ${daemon} overrides the field that it names`, async () => {
    for (const option of optionsOf(table)) {
      if (option.field === undefined) continue
      const commandLine = parseOptions(table, [`--${option.flag}=${sampleOf(option)}`])
      const input = { table, commandLine, features, sources: [] }
      const { root, value } = await loadConfiguration(input)
      const switched = option.type === 'stringToBool' ? `${option.field}[AllAlpha]` : option.field
      const { node, complete: whole } = follow(root, switched)
      assert.ok(whole, option.flag)
      assert.is(node.at.text, `--${option.flag}`)
      assert.is.not(valueAtPath(value, option.field), undefined, option.flag)
    }
  })
}

/** Defaults of flags of the API server (supplement K-12; A4.71, A4.72, A9.3). */
const served: readonly (readonly [flag: string, value: unknown])[] = [
  ['service-cluster-ip-range', ['10.0.0.0/24']],
  ['service-node-port-range', '30000-32767'],
  ['event-ttl', 3_600_000],
  ['min-request-timeout', 1800],
  ['request-timeout', 60_000],
  ['max-requests-inflight', 400],
  ['max-mutating-requests-inflight', 200],
  ['runtime-config', []],
  ['enable-admission-plugins', []],
  ['disable-admission-plugins', []],
  ['admission-control-config-file', ''],
  ['audit-policy-file', ''],
  ['audit-log-path', ''],
  ['advertise-address', ''],
  ['livez-grace-period', 0],
  ['shutdown-delay-duration', 0],
  ['show-hidden-metrics-for-version', ''],
]
flags('the API server has the flags that its clients know, with their defaults', async () => {
  const { options } = parseOptions(await optionTables['orch-apiserver']!(), [])
  for (const [flag, value] of served) assert.equal(options.value(flag), value, flag)
})

// D2.168
flags('nearly every flag of the agent says in which field of the file it is to be set', () => {
  const all = optionsOf(tables.get('orchlet')!)
  const moved = all.filter(({ deprecated }) => deprecated?.startsWith('set "'))
  assert.is(moved.length, 100)
  for (const { field, deprecated } of moved) {
    assert.is(deprecated, `set "${field}" in the file that --config names`)
  }
})

// D2.1
flags('durations are text, and lists are comma-separated', () => {
  const table = tables.get('orch-controller-manager')!
  const argv = [
    '--cluster-signing-duration=8760h0m0s',
    '--controllers=*,-job',
    '--min-resync-period',
    '10s',
  ]
  const { options, errors } = parseOptions(table, argv)
  assert.equal(errors, [])
  assert.is(options.milliseconds('cluster-signing-duration'), 8760 * 3_600_000)
  assert.is(options.milliseconds('min-resync-period'), 10_000)
  assert.equal(options.strings('controllers'), ['*', '-job'])
})

// D2.3
flags('an allow-list of labels may name values with commas', () => {
  const argv = ['--allow-metric-labels', 'requests_total,code=200,404']
  const { options, errors } = parseOptions(tables.get('orch-controller-manager')!, argv)
  assert.equal(errors, [])
  assert.equal([...options.pairs('allow-metric-labels')], [['requests_total,code', '200,404']])
})

// D2.188
flags('the drop-in directory may come from the environment, which a flag overrides', () => {
  const table = tables.get('orchlet')!
  const environment = { ORCHLET_CONFIG_DROPIN_DIR_ALPHA: '/etc/orchlet.d' }
  const { options } = parseOptions(table, [], environment)
  assert.is(options.string('config-dir'), '/etc/orchlet.d')
  assert.is(options.origin('config-dir'), 'environment')
  assert.is(parseOptions(table, ['--config-dir=d'], environment).options.string('config-dir'), 'd')
})

flags('a wrong flag names the nearest one', () => {
  const { errors } = parseOptions(tables.get('orchlet')!, ['--max-pod=1', '--azure-registry=x'])
  assert.equal(errors, [
    'unknown flag: --max-pod, did you mean --max-pods?',
    'unknown flag: --azure-registry',
  ])
})

flags.run()
