import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { optionTables } from '../../../generated/options.ts'
import { runConfig } from '../../../tools/orch/config.ts'
import { upOptions } from '../../../tools/orch/up/options.ts'
import { orchCommand, runHere, runNode } from '../../support/orch.ts'
import { tempDirectory } from '../../support/temp.ts'

const command = suite('tools/orch: config')

const folder = tempDirectory()
const head = 'apiVersion: orchlet.config.orch.io/v1beta1\nkind: OrchletConfiguration\n'

function write(name: string, text: string): string {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  return path
}

const orch = (...args: string[]) => runHere(runConfig, args)

command('each of its commands says how it is used', async () => {
  const { code, stdout } = await runNode(orchCommand, ['config', 'check', '--help'])
  assert.equal([code, stdout], [0, (await orch('check', '--help')).stdout])
  for (const verb of ['check', 'explain', 'init']) {
    const { code, stdout } = await orch(verb, '--help')
    assert.is(code, 0)
    assert.match(stdout, `orch config ${verb} DAEMON`)
  }
})

command('no daemon and no command has a flag twice', async () => {
  const tables = await Promise.all(Object.values(optionTables).map((load) => load()))
  for (const { daemon, sections } of [...tables, upOptions]) {
    const flags = sections.flatMap(({ options }) => options.map(({ flag }) => flag))
    const twice = flags.filter((flag, index) => flags.indexOf(flag) < index)
    assert.equal(twice, [], daemon)
  }
})

command('check refuses what the API server refuses', async () => {
  const wrong = ['--storage=paper', '--bind-address=0.0.0.0', '--runtime-config=none/v1']
  const { code, stderr } = await orch('check', 'orch-apiserver', ...wrong)
  assert.is(code, 1)
  for (const flag of ['--storage', '--bind-address', '--runtime-config']) assert.match(stderr, flag)
  assert.is((await orch('check', 'orch-apiserver', '--insecure-port=0')).code, 0)
})

// D2.187
command('check says everything that is wrong, with frames, and fails', async () => {
  const path = write('bad.yaml', `${head}maxPod: 5\nport: 70000\n`)
  const { code, stderr, stdout } = await orch('check', 'orchlet', '--config', path, '--max-pods=x')
  assert.is(code, 1)
  assert.is(stdout, '')
  assert.match(
    stderr,
    `${path}:3:1: maxPod: unknown field; did you mean "maxPods"?\n  3 | maxPod: 5\n    | ^\n`,
  )
  assert.match(stderr, `${path}:4:7: port: Invalid value: 70000`)
  assert.match(stderr, 'invalid argument "x" for "--max-pods" flag: must be a whole number')
})

command('check takes files of any kind of configuration', async () => {
  const good = write(
    'providers.yaml',
    `apiVersion: orchlet.config.orch.io/v1
kind: CredentialProviderConfig
providers:
- name: registry
  apiVersion: credentialprovider.orchlet.orch.io/v1
  matchImages: ['*.example.com']
  defaultCacheDuration: 10m
`,
  )
  const bad = write(
    'providers.json',
    `{
  "apiVersion": "orchlet.config.orch.io/v1",
  "kind": "CredentialProviderConfig",
  "providers": [{ "name": "registry", "args": "x" }]
}`,
  )
  assert.is((await orch('check', good)).code, 0)
  const { code, stderr } = await orch('check', good, bad)
  assert.is(code, 1)
  assert.match(stderr, `${bad}:4:47: providers[0].args: must be a list, not a string`)
  assert.match(stderr, `${bad}:4:17: providers[0].apiVersion: Required value`)
  const encryption = write(
    'encryption.yaml',
    `apiVersion: apiserver.config.orch.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - aescbc: {keys: [{name: a, secret: YQ==}]}
    kms: {name: b, endpoint: 'unix:///b'}
`,
  )
  const found = `${encryption}:6:13: resources[0].providers[0]: exactly one of aesgcm, aescbc, secretbox, identity and kms must be set`
  assert.match((await orch('check', encryption)).stderr, found)
  const unknown = write(
    'unknown.yaml',
    'apiVersion: orchlet.config.orch.io/v1\nkind: CredentialProviderConfg\n',
  )
  assert.match(
    (await orch('check', unknown)).stderr,
    `${unknown}:2:7: kind: "CredentialProviderConfg" is no configuration of orchlet.config.orch.io/v1; did you mean "CredentialProviderConfig"?`,
  )
})

// D2.79 D2.220
command('check reads the files that flags name, each as what it has to be', async () => {
  const providers = write(
    'held.yaml',
    `apiVersion: orchlet.config.orch.io/v1\nkind: CredentialProviderConfig\nproviders: []\n`,
  )
  const bin = '--image-credential-provider-bin-dir=/bin'
  const agent = (file: string) =>
    orch('check', 'orchlet', bin, `--image-credential-provider-config=${file}`)
  assert.match(
    (await agent(providers)).stderr,
    `${providers}:3:12: providers: Required value: must have at least 1 item`,
  )
  assert.match(
    (await agent('/nowhere')).stderr,
    '--image-credential-provider-config: /nowhere: there is no such file or folder',
  )
  const flag = `--leader-migration-config=${providers}`
  const { code, stderr } = await orch('check', 'orch-controller-manager', flag)
  assert.is(code, 1)
  assert.match(stderr, `${providers}:1:1: expected a LeaderMigrationConfiguration, not`)
})

command('a file of a daemon is checked with the gates that it switches', async () => {
  const path = write(
    'gates.yaml',
    `${head}qosReserved: {memory: 50%}\nfeatureGates:\n  QOSReserved: true\n`,
  )
  assert.is((await orch('check', path)).code, 0)
  const wrong = write('locked.yaml', `${head}featureGates:\n  APISelfSubjectReview: false\n`)
  const { code, stderr } = await orch('check', wrong)
  assert.is(code, 1)
  assert.match(stderr, `${wrong}:4:3: cannot set feature gate APISelfSubjectReview to false`)
})

const mistaken: readonly (readonly [fact: string, text: string | Buffer, finding: string])[] = [
  ['an empty file', '', ':1:1: expected a configuration: a mapping with apiVersion and kind'],
  ['a list', '# two\n- a\n', ':2:1: expected a configuration: a mapping with apiVersion and kind'],
  ['no apiVersion', 'kind: Policy\n', ':1:1: apiVersion: Required value'],
  ['no kind', 'apiVersion: v1\n', ':1:1: kind: Required value'],
  [
    'another apiVersion',
    'kind: Policy\napiVersion: audit.orch.io/v2\n',
    ':2:13: apiVersion: "audit.orch.io/v2" is of no configuration; did you mean "audit.orch.io/v1"?',
  ],
  [
    'a kind of another version',
    head.replace('v1beta1', 'v1'),
    ':2:7: kind: "OrchletConfiguration" is no configuration of orchlet.config.orch.io/v1; it is one of orchlet.config.orch.io/v1beta1',
  ],
  ['a second document', `${head}---\na: b\n`, ':4:1: a second document begins here'],
  ['JSON on one line', '{"apiVersion":"v1","kind":"Config","x":1}', ':1:36: x: unknown field'],
  [
    'a byte order mark and Windows lines',
    `\uFEFF${head}maxPods: x\n`.replaceAll('\n', '\r\n'),
    ':3:10: maxPods: must be an integer, not a string\n  3 | maxPods: x\n    |          ^',
  ],
  [
    'bytes that are no UTF-8',
    Buffer.concat([Buffer.from(head), Buffer.from([0xff])]),
    ':3:1: the text is not valid UTF-8',
  ],
  ['more than 4 MiB', head + '# filling\n'.repeat(500_000), ': larger than 4194304 bytes'],
]
for (const [fact, text, finding] of mistaken) {
  command(`${fact} is a finding in its place`, async () => {
    const path = join(folder, 'mistaken.yaml')
    writeFileSync(path, text)
    const { code, stderr } = await orch('check', path)
    assert.is(code, 1)
    assert.match(stderr, path + finding)
  })
}

command('a folder, a device without an end and a file that is not there are findings', async () => {
  const { code, stderr } = await orch('check', folder, '/dev/zero', 'orchle')
  assert.is(code, 1)
  assert.match(stderr, `${folder}: is a folder\n`)
  assert.match(stderr, '/dev/zero: larger than 4194304 bytes\n')
  assert.match(stderr, 'orchle: there is no such file or folder\ndid you mean the daemon orchlet?')
})

// D2.188
command('explain prints every value with the place that it comes from', async () => {
  const path = write('good.yaml', `${head}syncFrequency: 2m\n`)
  write('d/10.conf', `${head}maxPods: 50\n`)
  write('d/notes.txt', 'not a fragment')
  const { code, stdout } = await orch(
    'explain',
    'orchlet',
    `--config=${path}`,
    `--config-dir=${join(folder, 'd')}`,
    '--node-ip=10.0.0.1',
  )
  assert.is(code, 0)
  const rows = new Map(stdout.split('\n').map((line) => [line.split(/ +/)[0], line.split(/ {2,}/)]))
  assert.equal(rows.get('syncFrequency'), ['syncFrequency', '2m0s', `${path}:3:16`])
  assert.equal(rows.get('maxPods'), ['maxPods', '50', `${join(folder, 'd', '10.conf')}:3:10`])
  assert.equal(rows.get('--node-ip'), ['--node-ip', '10.0.0.1', '--node-ip'])
  assert.match(
    rows.get('port')?.[2] ?? '',
    /^default \(.*schemas\/config\/agent\/v1beta1\.yaml:\d+\)$/,
  )
  assert.match(
    rows.get('--root-dir')?.[2] ?? '',
    /^default \(.*schemas\/flags\/orchlet\.yaml:\d+\)$/,
  )
})

// D2.188
command('a file among the fragments that is none is told, and hidden ones are not', async () => {
  const fragments = join(folder, 'e')
  write('e/10.conf', `${head}maxPods: 50\n`)
  for (const name of ['20.yaml', '.20.conf.swp']) write(`e/${name}`, `${head}maxPods: 60\n`)
  for (const verb of ['check', 'explain']) {
    const { code, stderr } = await orch(verb, 'orchlet', `--config-dir=${fragments}`)
    assert.equal(
      [code, stderr],
      [0, `${join(fragments, '20.yaml')}: not read: a fragment ends in .conf\n`],
    )
  }
})

command('what init prints is a file without findings', async () => {
  const { code, stdout } = await orch('init', 'orch-controller-manager')
  assert.is(code, 0)
  const path = write('whole.yaml', stdout)
  const checked = await orch('check', 'orch-controller-manager', '--config', path)
  assert.equal([checked.code, checked.stderr], [0, ''])
})

command('a file that is not there is a finding', async () => {
  const { code, stderr } = await orch('check', 'orchlet', '--config=/nowhere', '--config-dir=/none')
  assert.is(code, 1)
  assert.match(stderr, '--config: /nowhere: there is no such file or folder')
  assert.match(stderr, '--config-dir: /none: there is no such file or folder')
})

command('a wrong word names the nearest', async () => {
  assert.match((await orch('chek', 'orchlet')).stderr, 'unknown command: chek, did you mean check?')
  const { code, stderr } = await orch('explain', 'orchle')
  assert.is(code, 2)
  assert.match(stderr, 'unknown daemon: orchle, did you mean orchlet?')
})

command('completion prints a script for a daemon', async () => {
  const { code, stdout } = await runNode(orchCommand, ['completion', 'bash', 'orchlet'])
  assert.is(code, 0)
  assert.match(stdout, 'complete -o bashdefault -F _orchlet orchlet')
  assert.is((await runNode(orchCommand, ['completion', 'csh'])).code, 2)
})

command.run()
