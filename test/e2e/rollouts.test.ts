/** kubectl rolls out, pauses, scales and rolls back deployments, and drains a node within a budget. T-01, T-02, T-08 */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { connect } from '../../runtime/connection/connection.ts'
import { hangFlag } from '../support/deadline.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { type NodeAgent, startNodeAgent } from '../support/node-agent.ts'
import { orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const tests = suite('e2e: rollouts with kubectl')
const controllers = ['deployment', 'replicaset', 'replicationcontroller', 'disruption']
const binary = defaultKubectl()

if (binary === undefined) console.log('SKIP rollouts with kubectl: there is no kubectl in PATH')
else describe(binary)

function describe(program: string): void {
  let running: Running
  let ctl: Kubectl
  let agent: NodeAgent
  const home = tempDirectory()

  tests.before(async () => {
    const orchconfig = join(home, 'orchconfig')
    running = await startProgram(orchCommand, [
      ...['up', '--orchconfig', orchconfig, `--controllers=${controllers.join(',')}`],
      ...['--platform', join(packageRoot, 'schemas/platform/kubernetes.yaml')],
    ])
    ctl = kubectl(program, orchconfig, home)
    for (const name of ['n1', 'n2']) {
      const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } }
      await ctl.ok('create -f -', JSON.stringify(node))
    }
    agent = startNodeAgent(await connect(orchconfig))
  })
  tests.after(async () => {
    await agent.stop()
    assert.is(await running.stop(), 0)
  })

  const status = () => ctl.ok(`rollout status deployment/web ${hangFlag}`)
  const image = () =>
    ctl.ok('get deployment web -o jsonpath={.spec.template.spec.containers[0].image}')

  tests('a deployment is rolled out, rolled back and told of', async () => {
    await ctl.ok('create deployment web --image=main:1 --replicas=2')
    assert.match(await status(), 'successfully rolled out')
    await ctl.ok('set image deployment/web main=main:2')
    await ctl.ok('annotate deployment/web kubernetes.io/change-cause=second')
    assert.match(await status(), 'successfully rolled out')
    const history = await until('its cause is told', async () => {
      const text = await ctl.ok('rollout history deployment/web')
      return /^2 +second$/m.test(text) && text
    })
    assert.match(history, /^1 +<none>$/m)
    assert.match(await ctl.ok('rollout history deployment/web --revision=1'), 'main:1')
    await ctl.ok('rollout undo deployment/web')
    assert.match(await status(), 'successfully rolled out')
    assert.is(await image(), 'main:1')
    const again = await ctl.ok('rollout history deployment/web')
    assert.not.match(again, /^1 /m)
    assert.match(again, /^3 /m)
    await ctl.ok('rollout restart deployment/web')
    assert.match(await status(), 'successfully rolled out')
    const told = await until('it is told of', async () => {
      const text = await ctl.ok('describe deployment web')
      return text.includes('NewReplicaSetAvailable') && text
    })
    assert.match(
      told,
      /^Replicas: +2 desired \| 2 updated \| 2 total \| 2 available \| 0 unavailable$/m,
    )
    assert.match(told, /ScalingReplicaSet +\S+ +deployment-controller +Scaled up replica set web-/)
  })

  tests('one that is paused waits, and goes on', async () => {
    await ctl.ok('rollout pause deployment/web')
    await ctl.ok('set image deployment/web main=main:4')
    await ctl.ok('scale deployment/web --replicas=3')
    const ready = `wait deployment/web --for=jsonpath={.status.readyReplicas}=3 ${hangFlag}`
    await ctl.ok(ready)
    const updated = await ctl.ok('get deployment web -o jsonpath={.status.updatedReplicas}')
    assert.is(updated, '')
    await ctl.ok('rollout resume deployment/web')
    assert.match(await status(), 'successfully rolled out')
    assert.match(await ctl.ok(`wait deployment/web --for=condition=Available ${hangFlag}`), 'met')
    await ctl.ok('scale deployment/web --replicas=2')
    assert.match(await status(), 'successfully rolled out')
  })

  tests('a node is drained as slowly as a budget asks for', async () => {
    await ctl.ok('create pdb web --selector=app=web --min-available=1')
    await until('one pod may go', async () => {
      const path = '{.status.disruptionsAllowed}'
      return (await ctl.ok(`get pdb web -o jsonpath=${path}`)) === '1'
    })
    agent.leastReady()
    await ctl.ok(`drain n1 ${hangFlag}`)
    assert.ok(agent.leastReady() >= 1)
    assert.match(await status(), 'successfully rolled out')
    const nodes = await ctl.ok('get pods -l app=web -o jsonpath={.items[*].spec.nodeName}')
    assert.is(nodes, 'n2 n2')
  })

  tests(
    'a control plane of its own names keeps revisions where kubectl looks for them',
    async () => {
      const orchconfig = join(home, 'own-names')
      const own = await startProgram(orchCommand, [
        ...['up', '--orchconfig', orchconfig, '--simulated-nodes=1'],
      ])
      const cli = kubectl(program, orchconfig, home)
      const rolled = () => cli.ok(`rollout status deployment/web ${hangFlag}`)
      await cli.ok('create deployment web --image=main:1')
      await rolled()
      await cli.ok('set image deployment/web main=main:2')
      await rolled()
      assert.match(await cli.ok('rollout history deployment/web'), /^1 +<none>\n2 +<none>$/m)
      assert.match(await cli.ok('rollout history deployment/web --revision=1'), 'main:1')
      await cli.ok('rollout undo deployment/web')
      await rolled()
      const path = '{.spec.template.spec.containers[0].image}'
      assert.is(await cli.ok(`get deployment web -o jsonpath=${path}`), 'main:1')
      const history = await until('the next revision', async () => {
        const text = await cli.ok('rollout history deployment/web')
        return /^3 /m.test(text) && text
      })
      assert.not.match(history, /^1 /m)
      assert.is(await own.stop(), 0)
    },
  )
}

tests.run()
