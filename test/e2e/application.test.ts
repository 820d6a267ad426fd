/** An application on the node of this machine, from apply to delete, as docs/guide/application.md goes through it. T-05 T-06 T-07 T-13 */
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { hangFlag } from '../support/deadline.ts'
import { defaultKubectl, type Kubectl, kubectl, versionedKubectls } from '../support/kubectl.ts'
import { orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const tests = suite('e2e: an application')
const program = defaultKubectl()

if (program === undefined) console.log('SKIP an application: there is no kubectl in PATH')
else describe(program)

function describe(binary: string): void {
  const home = tempDirectory()
  const orchconfig = join(home, 'orchconfig')
  const manifest = join(packageRoot, 'examples/application/application.yaml')
  // Other clusters on this machine have other ranges.
  const range = process.getuid?.() === 0 ? '10.77.91.0/24' : '127.77.91.0/24'
  let running: Running
  let ctl: Kubectl
  let scaling: ReturnType<Kubectl['run']>

  tests.before(async () => {
    running = await startProgram(orchCommand, [
      ...['up', '--node', '--orchconfig', orchconfig, '--service-cluster-ip-range', range],
      ...['--platform', join(packageRoot, 'schemas/platform/kubernetes.yaml')],
    ])
    ctl = kubectl(binary, orchconfig, home)
    await ctl.ok(`apply -f ${manifest}`)
    await ctl.ok('autoscale deployment/web --cpu-percent=80 --max=1')
    // The autoscaler looks when it is time to; what else there is to see is seen meanwhile.
    scaling = ctl.run(`wait --for=condition=ScalingActive hpa/web ${hangFlag}`)
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  tests('it is rolled out, and the job reaches it by the address of its service', async () => {
    await ctl.ok(`rollout status deployment/web ${hangFlag}`)
    await ctl.ok(`wait --for=condition=Complete job/check ${hangFlag}`)
    assert.match(await ctl.ok('logs job/check'), 'answered: hello from one')
    const log = await ctl.ok('logs deployment/web')
    for (const path of ['/ready', '/check']) assert.match(log, path)
  })

  tests('every program of the machine reaches the service by its address', async () => {
    const host = (await ctl.ok('get service web -o jsonpath={.spec.clusterIP}')).trim()
    assert.is(await fetched(host, 8080), 'hello from one')
  })

  tests('it is reached by commands and ports', async () => {
    assert.is(await ctl.ok('exec deployment/web -- cat /config/greeting'), 'hello')
    const local = await freePort()
    const forwarding = ctl.follow(`port-forward service/web ${local}:8080`)
    await forwarding.printed(/Forwarding from/)
    assert.is(await fetched('127.0.0.1', local), 'hello from one')
    await forwarding.stop()
  })

  tests('a job of the cron job runs when it is asked for', async () => {
    await ctl.ok('create job --from=cronjob/minutely now')
    await ctl.ok(`wait --for=condition=Complete job/now ${hangFlag}`)
    assert.match(await ctl.ok('logs job/now'), /^it is \d\d:\d\d\n$/)
  })

  tests('a port of the node leads to it once the service has one', async () => {
    await ctl.ok('patch service web -p {"spec":{"type":"NodePort"}}')
    const port = Number(await ctl.ok('get service web -o jsonpath={.spec.ports[0].nodePort}'))
    await until('the port is led', async () => {
      const text = await fetched('127.0.0.1', port).catch(() => '')
      return text === 'hello from one'
    })
  })

  tests('kubectl of every release tells what it uses, and the autoscaler reads it', async () => {
    const top = 'top pod --containers -l app=web'
    await until('the pod has figures', async () => (await ctl.run(top)).code === 0)
    const all = versionedKubectls()
    for (const one of [binary, all.at(0), all.at(-1)].filter((each) => each !== undefined)) {
      const cli = kubectl(one, orchconfig, home)
      assert.match(await cli.ok(top), /main +\d+m +\d+Mi/)
      assert.match(await cli.ok('top node'), /\d+m +\d+% +\d+Mi +\d+%/)
    }
    assert.is((await scaling).code, 0)
  })

  tests('another release takes its place, and the one before comes back', async () => {
    const host = (await ctl.ok('get service web -o jsonpath={.spec.clusterIP}')).trim()
    const serves = (text: string) =>
      until(`it serves ${text}`, async () => (await fetched(host, 8080).catch(() => '')) === text)
    await ctl.ok('set env deployment/web RELEASE=two')
    await ctl.ok(`rollout status deployment/web ${hangFlag}`)
    await serves('hello from two')
    await ctl.ok('rollout undo deployment/web')
    await ctl.ok(`rollout status deployment/web ${hangFlag}`)
    await serves('hello from one')
  })

  tests('it goes with everything that belongs to it', async () => {
    await ctl.ok(`delete -f ${manifest} ${hangFlag}`)
    await ctl.ok(`wait --for=delete pod -l app=web ${hangFlag}`)
    assert.is((await ctl.ok('get deployments,services -l app=web -o name')).trim(), '')
  })
}

/** What a server answers. */
function fetched(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, agent: false }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve(text)
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

tests.run()
