import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bindProblem } from '../../daemons/apiserver/bind-address.ts'
import { storageProblem } from '../../daemons/apiserver/storage-flag.ts'
import { apiserverCommand, runNode, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const daemon = suite('daemons/apiserver')

daemon('serves on a port that it picks, and stops with exit code 0', async () => {
  const running = await startProgram(apiserverCommand, [
    '--insecure-port=0',
    '--storage=memory',
    '--shutdown-delay-duration=100ms',
  ])
  assert.is(await (await fetch(`${running.url}/livez`)).text(), 'ok')
  assert.is(await running.stop(), 0)
})

daemon('SIGHUP stops it in order, as its help says', async () => {
  const running = await startProgram(apiserverCommand, ['--insecure-port=0'])
  assert.is(await running.stop('SIGHUP'), 0)
  assert.match((await runNode(apiserverCommand, ['--help'])).stdout, 'SIGHUP')
})

daemon('ends open watches when it is told to stop', async () => {
  const running = await startProgram(apiserverCommand, ['--insecure-port=0'])
  const response = await fetch(`${running.url}/api/v1/namespaces?watch=true`)
  const body = response.text()
  assert.is(await running.stop(), 0)
  assert.match(await body, '"type":"ADDED"')
})

// A4.72
daemon('goes on serving for --shutdown-delay-duration while readyz fails', async () => {
  const running = await startProgram(apiserverCommand, [
    '--insecure-port=0',
    '--shutdown-delay-duration=1h',
  ])
  assert.is((await fetch(`${running.url}/readyz`)).status, 200)
  running.process.kill('SIGTERM')
  await until('readyz fails', async () => (await fetch(`${running.url}/readyz`)).status === 500)
  assert.is((await fetch(`${running.url}/livez`)).status, 200)
  assert.is(await running.stop('SIGKILL'), 'SIGKILL')
})

// A3.5 A3.6 A4.49
daemon('--feature-gates switches what the server does', async () => {
  const args = ['--insecure-port=0', '--feature-gates=WatchList=true,APIResponseCompression=false']
  const running = await startProgram(apiserverCommand, args)
  const query =
    'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1'
  const response = await fetch(`${running.url}/api/v1/namespaces?${query}`)
  assert.is(response.status, 200)
  await response.body?.cancel()
  const headers = { 'accept-encoding': 'gzip' }
  const plain = await fetch(`${running.url}/openapi/v2`, { headers })
  assert.is(plain.headers.get('content-encoding'), null)
  await plain.body?.cancel()
  await running.stop()
})

// A3.7 A3.8 A3.9
daemon('a gate that is locked or unknown keeps the server from starting', async () => {
  const { code, stderr } = await runNode(apiserverCommand, [
    '--feature-gates=ServerSideApply=false,WatchLst=true',
  ])
  assert.is(code, 1)
  const locked = 'cannot set feature gate ServerSideApply to false, feature is locked to true'
  assert.match(stderr, `--feature-gates: ${locked}`)
  assert.match(stderr, 'unrecognized feature gate: WatchLst; did you mean "WatchList"?')
})

daemon('--help=json and --version=raw are for programs', async () => {
  const help = await runNode(apiserverCommand, ['--help=json'])
  const { daemon: name } = JSON.parse(help.stdout) as { daemon: string }
  assert.is(name, 'orch-apiserver')
  assert.match((await runNode(apiserverCommand, ['--version=raw'])).stdout, /^\d+\.\d+\.\d+\s*$/)
})

// A9.3, A9.68, A4.71
daemon('--runtime-config turns a version off', async () => {
  const running = await startProgram(apiserverCommand, [
    '--insecure-port=0',
    '--runtime-config=apps/v1=false,api/beta',
    '--livez-grace-period=1s',
  ])
  assert.is((await fetch(`${running.url}/apis/apps/v1/deployments`)).status, 404)
  assert.is((await fetch(`${running.url}/api/v1/pods`)).status, 200)
  assert.not.match(await (await fetch(`${running.url}/apis`)).text(), '"apps"')
  assert.is(await running.stop(), 0)
})

daemon('a wrong value of an option is refused before anything starts', async () => {
  const cases: readonly (readonly [flag: string, why: RegExp])[] = [
    ['--runtime-config=apps/v9', /apps\/v9 is no API that this server has; did you mean apps\/v1/],
    ['--runtime-config=apps/v1=no', /the value must be true or false/],
    ['--show-hidden-metrics-for-version=1.20', /must be left out or 1.28/],
    ['--uncached-resources=event', /storage is memory, where everything is kept anyway/],
    ['--max-connections=0', /must not be less than 1/],
    ['--advertise-address=here', /--advertise-address here: must be a valid IP address/],
    ['--advertise-address=127.0.0.1', /127\.0\.0\.1: may not be in the loopback range/],
    ['--advertise-address=::', /--advertise-address ::: may not be unspecified/],
    ['--advertise-address=169.254.0.1', /may not be in the link-local range/],
    ['--service-cluster-ip-range=10.0.0.1', /-ip-range: "10\.0\.0\.1" is not a CIDR/],
    ['--service-cluster-ip-range=10.0.0.0/8', /-ip-range is too large; .* must be >= 12/],
    ['--service-cluster-ip-range=10.0.0.0/30', /-ip-range must hold at least 8 addresses/],
    ['--service-cluster-ip-range=10.0.0.0/24,10.1.0.0/24', /one of each address family/],
    ['--service-node-port-range=9-8', /-port-range: "9-8" is not a range such as 30000-32767/],
  ]
  for (const [flag, why] of cases) {
    const { code, stderr } = await runNode(apiserverCommand, ['--insecure-port=0', flag])
    assert.is(code, 1)
    assert.match(stderr, why)
  }
})

daemon('help shows every section and no default that is zero', async () => {
  const { code, stdout } = await runNode(apiserverCommand, ['--help'])
  assert.is(code, 0)
  for (const section of ['Serving', 'Storage', 'Logging', 'Global'])
    assert.match(stdout, `${section} flags:`)
  assert.match(stdout, /--storage WHERE +/)
  assert.match(stdout, '(default "memory")')
  assert.not.match(stdout, '(default 0)')
})

daemon('an address that others can reach is refused, with what to do instead', async () => {
  const { code, stderr } = await runNode(apiserverCommand, ['--bind-address', '0.0.0.0'])
  assert.is(code, 1)
  assert.match(stderr, '--bind-address 0.0.0.0: plain HTTP has no credentials')
  assert.match(stderr, 'ssh -L')
})

const addresses: readonly (readonly [address: string, allowed: boolean])[] = [
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['localhost', true],
  ['', false],
  ['::', false],
  ['192.168.0.1', false],
  ['127.0.0.1.example.com', false],
  ['::ffff:8.8.8.8', false],
]
for (const [address, allowed] of addresses) {
  daemon(`${JSON.stringify(address)} is ${allowed ? 'a' : 'no'} loopback address`, () => {
    assert.is(bindProblem(address, 8080) === undefined, allowed)
  })
}

daemon('every wrong flag is named at once', async () => {
  const { code, stderr } = await runNode(apiserverCommand, [
    '--storag=x',
    '--insecure-port=x',
    '--storage=etcd',
    'word',
  ])
  assert.is(code, 1)
  assert.match(stderr, 'unknown flag: --storag, did you mean --storage?')
  assert.match(stderr, 'invalid argument "x" for "--insecure-port" flag')
  assert.match(
    stderr,
    'invalid argument "etcd" for "--storage" flag: must be memory or sqlite:FILE',
  )
  assert.match(stderr, 'unknown argument: word')
})

daemon('--check-config finds nothing wrong and starts nothing', async () => {
  const folder = tempDirectory()
  const { code, stdout, stderr } = await runNode(apiserverCommand, [
    '--check-config',
    `--storage=sqlite:${join(folder, 'store.db')}`,
    '--runtime-config=api/all=true',
    '--feature-gates=AllAlpha=true',
  ])
  assert.equal([code, stdout, stderr], [0, '', ''])
  assert.equal(readdirSync(folder), [])
})

daemon('--check-config names everything that is wrong', async () => {
  const folder = tempDirectory()
  const text = join(folder, 'notes.txt')
  writeFileSync(text, 'no database')
  const wrong = await runNode(apiserverCommand, [
    '--check-config',
    `--storage=sqlite:${text}`,
    '--runtime-config=no/v1=true',
    '--feature-gates=NoSuchGate=true',
    '--enable-admission-plugins=NoSuchPlugin',
    '--max-body-size=much',
  ])
  assert.is(wrong.code, 1)
  assert.match(wrong.stderr, `--storage sqlite:${text}: ${text} is not a database`)
  for (const word of ['no/v1', 'NoSuchGate', 'NoSuchPlugin', '"much"']) {
    assert.match(wrong.stderr, word)
  }
})

const storages: readonly (readonly [value: string, problem: RegExp])[] = [
  ['sqlite:/no/such/store.db', /\/no\/such is not a folder/],
  ['sqlite:/', /\/ is not a file/],
  ['postgres', /must be memory or sqlite:FILE/],
]
for (const [value, problem] of storages) {
  daemon(`--storage=${value} is refused before anything starts`, () => {
    assert.match(storageProblem(value) ?? '', problem)
  })
}

const admissionFile = (plugins: string) => `apiVersion: apiserver.config.orch.io/v1
kind: AdmissionConfiguration
plugins:
${plugins}`

const podSecurity = (spec: string) => `apiVersion: pod-security.admission.config.orch.io/v1
kind: PodSecurityConfiguration
${spec}`

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-admission-'))
  await run(folder).finally(() => rm(folder, { recursive: true }))
}

//
daemon('--admission-control-config-file tells plugins what files beside it say', async () => {
  await inFolder(async (folder) => {
    const file = join(folder, 'admission.yaml')
    await writeFile(file, admissionFile('- { name: PodSecurity, path: levels.yaml }\n'))
    await writeFile(join(folder, 'levels.yaml'), podSecurity('defaults: { enforce: baseline }\n'))
    const running = await startProgram(apiserverCommand, [
      '--insecure-port=0',
      `--admission-control-config-file=${file}`,
    ])
    const containers = [{ name: 'main', image: 'example/app:1' }]
    const response = await fetch(`${running.url}/api/v1/namespaces/orch-public/pods`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a' },
        spec: { hostNetwork: true, automountServiceAccountToken: false, containers },
      }),
    })
    const { message } = (await response.json()) as { message: string }
    assert.is(response.status, 403)
    assert.match(message, 'violates PodSecurity "baseline:latest": host namespaces')
    assert.is(await running.stop(), 0)
  })
})

//
daemon(
  'settings of plugins that are wrong keep the server from starting, with places',
  async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'admission.yaml')
      const spec = podSecurity('defaults: { enforce: strict, warn: baseline, warn-version: v2 }\n')
      const inside = spec.replace(/^(?=.)/gm, '    ')
      const plugins = [
        `- name: PodSecurity\n  configuration:\n${inside}`,
        '- { name: PodSecurityy }\n',
        '- { name: ResourceQuota }\n',
      ]
      await writeFile(file, admissionFile(plugins.join('')))
      const args = [`--admission-control-config-file=${file}`]
      const first = await runNode(apiserverCommand, args)
      assert.is(first.code, 1)
      assert.match(first.stderr, `${file}:8:26: defaults.enforce: Unsupported value: "strict"`)
      assert.match(
        first.stderr,
        `${file}:9:11: admission plugin "PodSecurityy" is unknown; did you mean PodSecurity?`,
      )
      assert.match(
        first.stderr,
        `${file}:10:11: admission plugin "ResourceQuota" takes no settings from a file in this server`,
      )
      assert.match(first.stderr, `${file}:8:64: defaults.warn-version: must be "latest" or "v1.x"`)
      const second = await runNode(apiserverCommand, [`${args[0]}.none`])
      assert.match(second.stderr, `${file}.none: there is no such file or folder`)
    })
  },
)

// H-13
daemon('--profiling and --enable-logs-handler serve the pages for who looks into it', async () => {
  const flags = ['--insecure-port=0', '--enable-logs-handler']
  const running = await startProgram(apiserverCommand, flags)
  let said = ''
  running.process.stderr?.on('data', (text: string) => {
    said += text
  })
  assert.match(await (await fetch(`${running.url}/debug/pprof/`)).text(), '/debug/pprof/heap')
  const put = { method: 'PUT', body: '5' }
  const told = await (await fetch(`${running.url}/debug/flags/v`, put)).text()
  assert.is(told, 'successfully set klog.logging.verbosity to 5')
  await fetch(`${running.url}/version`)
  await until('the log tells of requests', () => said.includes('"path":"/version"'))
  const logs = await fetch(`${running.url}/logs/`)
  assert.is(logs.status, existsSync('/var/log') ? 200 : 404)
  await logs.text()
  assert.is((await fetch(`${running.url}/configz`)).status, 404)
  assert.is(await running.stop(), 0)
})

daemon('a profile may take longer than --request-timeout', async () => {
  const flags = ['--insecure-port=0', '--request-timeout=1ms']
  const running = await startProgram(apiserverCommand, flags)
  const heap = await fetch(`${running.url}/debug/pprof/heap?seconds=0.1`)
  assert.ok(((await heap.json()) as { head: object }).head)
  assert.is(await running.stop(), 0)
})

daemon('without them there are none', async () => {
  const running = await startProgram(apiserverCommand, ['--insecure-port=0', '--profiling=false'])
  for (const path of ['/debug/pprof/', '/debug/flags/v', '/logs/']) {
    assert.is((await fetch(running.url + path)).status, 404, path)
  }
  assert.is(await running.stop(), 0)
})

daemon.run()
