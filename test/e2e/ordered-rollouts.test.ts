/** kubectl rolls stateful sets and daemon sets out, back and anew, and tells how far they are (T-03, T-04). */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const tests = suite('e2e: rollouts of stateful sets and daemon sets')
const binary = defaultKubectl()

let running: Running
let ctl: Kubectl

const template = (app: string) => `selector: { matchLabels: { app: ${app} } }
  template:
    metadata: { labels: { app: ${app} } }
    spec: { containers: [{ name: main, image: '${app}:1' }] }
`
const set = `apiVersion: apps/v1
kind: StatefulSet
metadata: { name: web }
spec:
  serviceName: web
  replicas: 2
  ${template('web')}`

const agent = `apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  ${template('agent')}`

const ready = JSON.stringify({
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' }],
  },
})

/** Makes pods ready until as many of them have the image. */
async function serve(app: string, image: string, count: number): Promise<void> {
  await until(`${count} pods run ${image}`, async () => {
    const columns = 'NAME:.metadata.name,PHASE:.status.phase,IMAGE:.spec.containers[0].image'
    const shown = await ctl.ok(`get pods -l app=${app} --no-headers -o custom-columns=${columns}`)
    const all = [...shown.matchAll(/^(\S+) +(\S+) +(\S+)$/gm)]
    for (const [, name, phase] of all) {
      if (phase !== 'Pending') continue
      await ctl.run(`patch pod ${name} --subresource=status --type=merge -p ${ready}`)
    }
    return (
      all.length === count &&
      all.every(([, , phase, shownImage]) => phase === 'Running' && shownImage === image)
    )
  })
}

if (binary === undefined) {
  console.log(
    'SKIP rollouts: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
  )
} else {
  tests.before(async () => {
    const home = tempDirectory()
    const orchconfig = join(home, 'orchconfig')
    const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
    const controllers = '--controllers=statefulset-controller,daemonset-controller'
    const args = ['up', '--orchconfig', orchconfig, '--platform', platform, controllers]
    running = await startProgram(orchCommand, args)
    ctl = kubectl(binary, orchconfig, home)
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  tests('a stateful set is scaled, rolled out, back and anew', async () => {
    await ctl.ok('create -f -', set)
    await serve('web', 'web:1', 2)
    assert.match(
      await ctl.ok('rollout status sts/web'),
      /rolling update complete 2 pods|2 new pods/,
    )
    await ctl.ok('set image sts/web main=web:2')
    await serve('web', 'web:2', 2)
    assert.match(await ctl.ok('rollout status sts/web'), /complete/)
    assert.match(await ctl.ok('rollout history sts/web'), /\n1 .*\n2 /)
    assert.match(await ctl.ok('rollout history sts/web --revision=1'), /web:1/)
    await ctl.ok('rollout undo sts/web')
    await serve('web', 'web:1', 2)
    await until('the old revision has the newest number', async () =>
      /\n2 .*\n3 /.test(await ctl.ok('rollout history sts/web')),
    )
    await ctl.ok('rollout restart sts/web')
    await until('the pods are new', async () => {
      await serve('web', 'web:1', 2)
      return /complete/.test((await ctl.run('rollout status sts/web --watch=false')).stdout)
    })
    await ctl.ok('scale sts/web --replicas=1')
    await serve('web', 'web:1', 1)
    const told = await ctl.ok('describe sts web')
    assert.match(told, /SuccessfulDelete .*delete Pod web-1 in StatefulSet web successful/)
    assert.match(told, /1 desired \| 1 total/)
  })

  tests('a daemon set is rolled out, back and anew', async () => {
    for (const name of ['a', 'b']) {
      const metadata = { name }
      await ctl.ok('create -f -', JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata }))
      await ctl.ok(`patch node ${name} --type=merge -p {"spec":{"taints":null}}`)
    }
    await ctl.ok('create -f -', agent)
    await serve('agent', 'agent:1', 2)
    assert.match(await ctl.ok('rollout status ds/agent'), /successfully rolled out/)
    await ctl.ok('set image ds/agent main=agent:2')
    await serve('agent', 'agent:2', 2)
    assert.match(await ctl.ok('rollout status ds/agent'), /successfully rolled out/)
    assert.match(await ctl.ok('rollout history ds/agent --revision=1'), /agent:1/)
    await ctl.ok('rollout undo ds/agent')
    await serve('agent', 'agent:1', 2)
    await until('the old revision has the newest number', async () =>
      /\n2 .*\n3 /.test(await ctl.ok('rollout history ds/agent')),
    )
    const told = await ctl.ok('describe ds agent')
    assert.match(told, /Desired Number of Nodes Scheduled: 2/)
    assert.match(told, /SuccessfulCreate .*Created pod: agent-/)
  })

  tests.run()
}
