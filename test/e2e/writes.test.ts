/** kubectl changes and removes objects: scale, drain, replace, and every way to delete, under the public names. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { hangFlag } from '../support/deadline.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const tests = suite('e2e: kubectl writes')
const binary = defaultKubectl()
const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
const home = tempDirectory()
const orchconfig = join(home, 'orchconfig')
let running: Running
let ctl: Kubectl

if (binary === undefined) console.log('SKIP kubectl: there is no kubectl in PATH')
else describe(binary)
tests.run()

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'example/app:1' }] },
}

function text(apiVersion: string, kind: string, name: string, more: object = {}): string {
  return JSON.stringify({ apiVersion, kind, metadata: { name }, ...more })
}

function web(name: string, replicas = 1): string {
  const spec = { replicas, selector: { matchLabels: { app: 'web' } }, template }
  return text('apps/v1', 'Deployment', name, { spec })
}

/** A pod that runs on the node `worker`. */
async function runningPod(name: string, labels: object): Promise<void> {
  const spec = { ...template.spec, nodeName: 'worker' }
  await ctl.ok('create -f -', text('v1', 'Pod', name, { spec, metadata: { name, labels } }))
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  const patch = `--type=merge --subresource=status -p=${JSON.stringify({ status })}`
  await ctl.ok(`patch pod ${name} ${patch}`)
}

function describe(kubectlBinary: string): void {
  tests.before(async () => {
    running = await startProgram(orchCommand, [
      'up',
      clusterControllers,
      '--orchconfig',
      orchconfig,
      '--platform',
      platform,
    ])
    ctl = kubectl(kubectlBinary, orchconfig, home)
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  tests('scale sets the number, if it is what was expected (I-17, P-09, CL-08)', async () => {
    await ctl.ok('create -f -', web('scaled'))
    await ctl.ok('scale deployment scaled --replicas=3')
    assert.is(await ctl.ok('get deployment scaled -o jsonpath={.spec.replicas}'), '3')
    const refused = await ctl.run('scale deployment scaled --current-replicas=1 --replicas=5')
    assert.is(refused.code, 1)
    await ctl.ok('scale deployment scaled --current-replicas=3 --replicas=5')
    const shown = await ctl.ok(
      'get deployment scaled --subresource=scale -o jsonpath={.kind}-{.status.selector}',
    )
    assert.is(shown, 'Scale-app=web')
    assert.match(await ctl.ok('get deployment scaled --subresource=scale'), /DESIRED +AVAILABLE/)
  })

  tests('drain evicts what a budget lets go (X-19, CL-14, A4.12)', async () => {
    await ctl.ok('create -f -', text('v1', 'Node', 'worker'))
    const unschedulable = JSON.stringify({ spec: { unschedulable: true } })
    await ctl.ok(`patch node worker --type=merge -p=${unschedulable}`)
    await runningPod('free', { app: 'free' })
    await runningPod('guarded', { app: 'guarded' })
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } }
    await ctl.ok('create -f -', text('policy/v1', 'PodDisruptionBudget', 'guard', { spec }))
    const status = { observedGeneration: 1, disruptionsAllowed: 0, expectedPods: 1 }
    const patch = JSON.stringify({ status: { ...status, currentHealthy: 1, desiredHealthy: 1 } })
    await ctl.ok(`patch pdb guard --type=merge --subresource=status -p=${patch}`)
    const drain = 'drain worker --force --grace-period=0'
    const stuck = ctl.follow(drain)
    await stuck.printed(/Cannot evict pod as it would violate the pod's disruption budget\./)
    await until('the free one is gone', async () => {
      return (await ctl.ok('get pods -o name')) === 'pod/guarded\n'
    })
    await stuck.stop()
    assert.is(await ctl.ok('get pods -o name'), 'pod/guarded\n')
    const allowed = JSON.stringify({ status: { disruptionsAllowed: 1 } })
    await ctl.ok(`patch pdb guard --type=merge --subresource=status -p=${allowed}`)
    assert.match(await ctl.ok(drain), 'node/worker drained')
    assert.is(await ctl.ok('get pods -o name'), '')
  })

  tests(
    'delete waits, forces, and leaves what it is told to (X-09, X-10, X-14, X-22, CL-09)',
    async () => {
      await ctl.ok('create -f -', web('gone'))
      assert.match(await ctl.ok('delete deployment gone'), 'deployment.apps "gone" deleted')
      await ctl.ok('create -f -', web('kept'))
      await ctl.ok('delete deployment kept --cascade=orphan --wait=false')
      await ctl.ok(`wait deployment/kept --for=delete ${hangFlag}`)
      await runningPod('slow', { app: 'slow' })
      await ctl.ok('delete pod slow --wait=false')
      assert.match(await ctl.ok('get pod slow'), 'Terminating')
      await ctl.ok('delete pod slow --force --grace-period=0')
      assert.is((await ctl.run('get pod slow')).code, 1)
    },
  )

  tests('replace needs the version it has seen, or starts afresh (CL-07)', async () => {
    await ctl.ok('create -f -', web('again'))
    const seen = await ctl.ok('get deployment again -o json')
    await ctl.ok('scale deployment again --replicas=2')
    const stale = await ctl.run('replace -f -', seen)
    assert.is(stale.code, 1)
    assert.match(stale.stderr, 'the object has been modified')
    await ctl.ok('replace --force -f -', web('again', 4))
    assert.is(await ctl.ok('get deployment again -o jsonpath={.spec.replicas}'), '4')
  })

  tests('a dry run on the server changes nothing (F-11, CL-17)', async () => {
    assert.match(
      await ctl.ok('create --dry-run=server -f -', web('dry')),
      'created (server dry run)',
    )
    assert.is((await ctl.run('get deployment dry')).code, 1)
    await ctl.ok('delete deployment again --dry-run=server')
    await ctl.ok('get deployment again')
  })

  tests('unknown fields are refused, or told of (F-03, F-04, CL-03)', async () => {
    const odd = text('v1', 'ConfigMap', 'odd', { more: 1 })
    const refused = await ctl.run('create -f -', odd)
    assert.is(refused.code, 1)
    assert.match(refused.stderr, 'strict decoding error: unknown field "more"')
    const warned = await ctl.run('create --validate=warn -f -', odd)
    assert.is(warned.code, 0)
    assert.match(warned.stderr, 'Warning: unknown field "more"')
  })

  tests('a namespace goes with what is in it (X-16, CL-09)', async () => {
    await ctl.ok('create -f -', text('v1', 'Namespace', 'short'))
    await ctl.ok('create -n short -f -', text('v1', 'ConfigMap', 'inside'))
    assert.match(await ctl.ok('delete namespace short'), 'namespace "short" deleted')
    assert.is(await ctl.ok('get configmaps -A -o name --field-selector=metadata.name=inside'), '')
  })
}
