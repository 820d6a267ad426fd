/** `orch migrate` of unit files: flags of a daemon become fields of its configuration file, or the place that keeps them is told. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runMigrate } from '../../../tools/orch/migrate.ts'

const test = suite<{ folder: string }>('tools/orch: migrate units')

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'orch-migrate-'))
})
test.after.each(({ folder }) => rm(folder, { recursive: true }))

async function migrate(...args: readonly string[]) {
  const [lines, errors]: [string[], string[]] = [[], []]
  const print = (line: string) => void lines.push(line)
  const printError = (line: string) => void errors.push(line)
  const code = await runMigrate({ args, environment: {}, width: 100, print, printError })
  return { code, text: lines.join('\n'), errors: errors.join('\n') }
}

const unit = (command: string) => `# The agent of a node.
[Unit]
Description=orchlet --max-pods=1

[Service]
Environment=LEVEL=4
ExecStart=${command}
Restart=always # as it was
`

/** What a unit and the configuration file of its daemon become. */
async function become(folder: string, command: string, config?: string) {
  const [file, target] = [join(folder, 'orchlet.service'), join(folder, 'orchlet.yaml')]
  await writeFile(file, unit(command))
  if (config !== undefined) await writeFile(target, config)
  const result = await migrate(file, '--config', `${target}=/etc/orch/orchlet.yaml`)
  const [after, configuration] = await Promise.all([
    readFile(file, 'utf8'),
    readFile(target, 'utf8').catch(() => undefined),
  ])
  return { ...result, unit: after, configuration }
}

const head = 'apiVersion: orchlet.config.orch.io/v1beta1\nkind: OrchletConfiguration\n'

test('flags with fields go into a new file, with the comments above them; every other byte of the unit stays', async ({
  folder,
}) => {
  const done = await become(
    folder,
    `-/usr/bin/orchlet --orchconfig=/etc/orch/agent.conf \\
  # few, they are large
  --max-pods=50 \\
  --node-labels "zone=a" --node-ip=\${IP} \\
  --cluster-dns=10.0.0.10,10.0.0.11 --eviction-hard 'memory.available<100Mi,nodefs.available<10%%' \\
  ; less than usual
  -v4`,
  )
  assert.equal([done.code, done.errors], [0, ''])
  assert.is(
    done.unit,
    unit(`-/usr/bin/orchlet --config=/etc/orch/orchlet.yaml --orchconfig=/etc/orch/agent.conf \\
  --node-labels "zone=a" --node-ip=\${IP}`),
  )
  assert.is(
    done.configuration,
    `${head}# few, they are large
maxPods: 50
clusterDNS: ["10.0.0.10","10.0.0.11"]
evictionHard:
  memory.available: "100Mi"
  nodefs.available: "10%"
logging:
  # less than usual
  verbosity: 4
`,
  )
})

test('a file that is there gets what it does not say yet, below what it says', async ({
  folder,
}) => {
  const config = `# ours\n${head}logging:\n    format: json   # for machines\nmaxPods: 50\n# the end\n`
  const command =
    '/usr/bin/node /opt/orchlet.js --config=/etc/orch/orchlet.yaml --max-pods=50 -v=4 --port=10251'
  const done = await become(folder, command, config)
  assert.equal([done.code, done.errors], [0, ''])
  assert.is(done.unit, unit('/usr/bin/node /opt/orchlet.js --config=/etc/orch/orchlet.yaml'))
  assert.is(
    done.configuration,
    `# ours\n${head}logging:\n    format: json   # for machines\n    verbosity: 4\nmaxPods: 50\nport: 10251\n# the end\n`,
  )
})

/** Commands that are refused: the word that is told, and a part of the reason. */
const refused: readonly (readonly [what: string, command: string, at: string, why: string])[] = [
  [
    'a variable',
    '/usr/bin/orchlet \\\n  --max-pods=$PODS',
    '8:3',
    '--max-pods: $PODS is known only when the unit starts; write its value',
  ],
  ['a specifier', '/usr/bin/orchlet -v %i', '7:31', '--v: %i is known'],
  ['a variable of any flags', `/usr/bin/orchlet -v4 \${ARGS}`, '7:32', `\${ARGS} may be any flags`],
  [
    'an unknown flag',
    '/usr/bin/orchlet --max-pod=3',
    '7:28',
    'unknown flag: --max-pod, did you mean --max-pods?',
  ],
  ['a wrong value', '/usr/bin/orchlet --max-pods=many', '7:28', 'invalid argument "many"'],
  ['an argument', '/usr/bin/orchlet serve', '7:28', 'serve is no flag'],
  ['a shell', "/bin/sh -c 'exec orchlet -v4'", '7:11', 'sh is none of our daemons'],
  [
    'another program',
    '/usr/bin/orchlets -v4',
    '7:11',
    'orchlets is none of our daemons; did you mean orchlet?',
  ],
  ['an open quote', '/usr/bin/orchlet "--max-pods=3', '7:28', 'the quote " is not closed'],
  ['an escape that is none', '/usr/bin/orchlet --max-pods=\\q', '7:28', '\\q is no escape'],
  [
    'fragments',
    '/usr/bin/orchlet --config-dir=/etc/d -v4',
    '7:28',
    '--config-dir: fragments there would override',
  ],
  [
    'a daemon without such a file',
    '/usr/bin/orch-scheduler -v4',
    '7:11',
    'orch-scheduler has no configuration file',
  ],
  [
    'two daemons',
    '/usr/bin/orchlet -v4\nExecStart=/usr/bin/orchlet -v5',
    '8:11',
    'a unit that starts two daemons',
  ],
]

for (const [what, command, at, why] of refused) {
  test(`${what} in a command is refused with its place, and both files stay as they were`, async ({
    folder,
  }) => {
    const done = await become(folder, command)
    assert.is(done.code, 1)
    assert.match(done.errors, `orchlet.service:${at}: error: ${why}`)
    assert.equal([done.unit, done.configuration], [unit(command), undefined])
  })
}

test('a flag that overrides another value of the file is refused with both places', async ({
  folder,
}) => {
  const config = `${head}maxPods: 60\n`
  const done = await become(folder, '/usr/bin/orchlet --config=/etc/a.yaml --max-pods=50', config)
  assert.is(done.code, 1)
  assert.match(done.errors, 'orchlet.service:7:49: error: --max-pods overrides maxPods of ')
  assert.match(done.errors, 'orchlet.yaml:3:10, which says something else; keep one of them')
  assert.is(done.configuration, config)
})

test('what a variable gives a flag without a field stays, and a unit that moves nothing is left alone', async ({
  folder,
}) => {
  const command = `/usr/bin/orchlet --node-ip=\${IP} --orchconfig=%h/agent.conf`
  const done = await become(folder, command)
  assert.equal([done.code, done.unit, done.configuration], [0, unit(command), undefined])
  assert.match(done.text, '0 files changed')
})

test('ExecStart= without a command takes back those before it', async ({ folder }) => {
  const done = await become(
    folder,
    '/usr/bin/orchlet -v3\nExecStart=\nExecStart=/usr/bin/orchlet -v5',
  )
  assert.match(
    done.unit,
    '-v3\nExecStart=\nExecStart=/usr/bin/orchlet --config=/etc/orch/orchlet.yaml\n',
  )
  assert.match(done.configuration ?? '', 'verbosity: 5')
})

test('a configuration file becomes one of the newest version, or its place is told', async ({
  folder,
}) => {
  const programs = (version: string, args: string) => `# programs
apiVersion: "orchlet.config.orch.io/${version}" # as it was
kind: CredentialProviderConfig
providers:
  - name: registry # ours
    matchImages: [registry.example.org]
    defaultCacheDuration: 1m
    apiVersion: credentialprovider.orchlet.orch.io/${args}
`
  const [good, bad] = [join(folder, 'good.yaml'), join(folder, 'bad.yaml')]
  await writeFile(good, programs('v1beta1', 'v1'))
  await writeFile(bad, programs('v1beta1', 'v9'))
  const { code, errors } = await migrate(folder)
  assert.is(code, 1)
  assert.match(
    errors,
    'bad.yaml:8:17: error: orchlet.config.orch.io/v1beta1 CredentialProviderConfig cannot become',
  )
  assert.is(await readFile(good, 'utf8'), programs('v1', 'v1'))
  assert.is(await readFile(bad, 'utf8'), programs('v1beta1', 'v9'))
})

test.run()
