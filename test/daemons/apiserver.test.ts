import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bindProblem } from '../../daemons/apiserver/bind.ts'
import { apiserverCommand, runNode, startProgram } from '../support/orch.ts'

const daemon = suite('daemons/apiserver')

daemon('serves on a port that it picks, and stops with exit code 0', async () => {
  const running = await startProgram(apiserverCommand, ['--insecure-port=0', '--storage', 'memory'])
  assert.is(await (await fetch(`${running.url}/livez`)).text(), 'ok')
  assert.is(await running.stop(), 0)
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
    '--shutdown-delay-duration=1s',
  ])
  assert.is((await fetch(`${running.url}/readyz`)).status, 200)
  const ended = running.stop()
  const deadline = AbortSignal.timeout(900)
  let status = 200
  while (status === 200)
    status = (await fetch(`${running.url}/readyz`, { signal: deadline })).status
  assert.is(status, 500)
  assert.is((await fetch(`${running.url}/livez`)).status, 200)
  assert.is(await ended, 0)
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
    ['--max-connections=0', /must not be less than 1/],
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

daemon.run()
