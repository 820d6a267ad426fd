/** What kubectl does with workloads, on a cluster whose nodes are simulated. T-01, T-03, T-04, T-05, T-08, X-13 */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { hangFlag } from '../support/deadline.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const tests = suite('e2e: kubectl and workloads')
const binary = defaultKubectl()

if (binary === undefined) console.log('SKIP kubectl and workloads: there is no kubectl in PATH')
else describe(binary)

const podOf = (app: string, spec = '') =>
  `{ metadata: { labels: { app: ${app} } }, spec: { ${spec} containers: [{ name: main, image: main:1 }] } }`
const others = `apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec: { replicas: 2, serviceName: db, selector: { matchLabels: { app: db } }, template: ${podOf('db')} }
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec: { selector: { matchLabels: { app: agent } }, template: ${podOf('agent')} }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec: { schedule: '0 3 1 1 *', jobTemplate: { spec: { template: ${podOf('nightly', 'restartPolicy: Never,')} } } }
`

function describe(program: string): void {
  let running: Running
  let ctl: Kubectl

  tests.before(async () => {
    const home = tempDirectory()
    const orchconfig = join(home, 'orchconfig')
    running = await startProgram(orchCommand, [
      ...['up', '--orchconfig', orchconfig, '--simulated-nodes=2'],
      ...['--platform', join(packageRoot, 'schemas/platform/kubernetes.yaml')],
    ])
    ctl = kubectl(program, orchconfig, home)
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  const names = (what: string) => ctl.ok(`get ${what} -o name`)

  tests('run, expose and autoscale make what they say', async () => {
    await ctl.ok('run lonely --image=main:1 --labels=app=lonely')
    await ctl.ok(`wait pod/lonely --for=condition=Ready ${hangFlag}`)
    await ctl.ok('expose pod lonely --port=80')
    await until('its endpoints', async () =>
      /\d+\.\d+\.\d+\.\d+:80/.test(await ctl.ok('get endpoints lonely')),
    )
    await ctl.ok('create deployment web --image=main:1 --replicas=2')
    assert.match(await ctl.ok(`rollout status deployment/web ${hangFlag}`), 'successfully')
    await ctl.ok('expose deployment web --port=80')
    await ctl.ok('autoscale deployment web --min=3 --max=5')
    await ctl.ok(`wait deployment/web --for=jsonpath={.status.readyReplicas}=3 ${hangFlag}`)
    const scaler = await until('what it did', async () => {
      const text = await ctl.ok('describe hpa web')
      return text.includes('SuccessfulRescale') && text
    })
    assert.match(scaler, /New size: 3; reason: Current number of replicas below Spec\.MinReplicas/)
    assert.match(await ctl.ok('describe service web'), /^Endpoints: +\d+\.\d+\.\d+\.\d+:80/m)
    await ctl.ok('delete hpa web')
  })

  tests('every workload is described with its events, which get events tells too', async () => {
    await ctl.ok('create -f -', others)
    await ctl.ok(`rollout status sts/db ${hangFlag}`)
    await ctl.ok(`rollout status ds/agent ${hangFlag}`)
    await ctl.ok('create job once --image=main:1')
    await ctl.ok('create job again --from=cronjob/nightly')
    for (const [what, told] of [
      ['deployment web', /ScalingReplicaSet .*deployment-controller .*Scaled up replica set web-/],
      ['rs -l app=web', /SuccessfulCreate .*replicaset-controller .*Created pod: web-/],
      [
        'sts db',
        /SuccessfulCreate .*statefulset-controller .*create Pod db-0 in StatefulSet db successful/,
      ],
      ['ds agent', /SuccessfulCreate .*daemonset-controller .*Created pod: agent-/],
      ['job once', /SuccessfulCreate .*job-controller .*Created pod: once-/],
      ['pod lonely', /Scheduled .*default-scheduler .*Successfully assigned default\/lonely to/],
    ] as const) {
      await until(`${what} is told of`, async () => told.test(await ctl.ok(`describe ${what}`)))
    }
    assert.match(await ctl.ok('describe cronjob nightly'), /^Schedule: +0 3 1 1 \*$/m)
    const events = await ctl.ok('get events --field-selector involvedObject.name=db')
    assert.match(
      events,
      /Normal +SuccessfulCreate +statefulset\/db +create Pod db-1 in StatefulSet db/,
    )
    assert.match(await ctl.ok('events --for=statefulset/db'), /SuccessfulCreate/)
  })

  tests('sets are scaled, changed and rolled back', async () => {
    await ctl.ok('scale sts/db --replicas=3')
    await ctl.ok(`rollout status sts/db ${hangFlag}`)
    for (const set of ['sts/db', 'ds/agent']) {
      await ctl.ok(`set image ${set} main=main:2`)
      await ctl.ok(`rollout status ${set} ${hangFlag}`)
      assert.match(await ctl.ok(`rollout history ${set} --revision=1`), 'main:1')
      await ctl.ok(`rollout undo ${set} --to-revision=1`)
      await ctl.ok(`rollout status ${set} ${hangFlag}`)
      const image = '{.spec.template.spec.containers[0].image}'
      assert.is(await ctl.ok(`get ${set} -o jsonpath=${image}`), 'main:1')
    }
  })

  tests('delete takes what is owned with it, at once or before, or leaves it', async () => {
    await ctl.ok('delete sts/db --cascade=orphan')
    assert.match(await names('pods'), /^pod\/db-0$/m)
    const path = '{.metadata.ownerReferences}'
    assert.is(await ctl.ok(`get pod db-0 -o jsonpath=${path}`), '')
    await ctl.ok('delete pods db-0 db-1 db-2')
    await ctl.ok('delete ds/agent --cascade=foreground')
    assert.not.match(await names('pods'), /^pod\/agent-/m)
    await ctl.ok('delete deployment/web --cascade=background')
    await until('no pod of it', async () => !/^pod\/web-/m.test(await names('pods')))
    assert.is(await names('rs'), '')
    await ctl.ok('delete job/once job/again cronjob/nightly --wait=false')
    await ctl.ok(`wait job/once job/again --for=delete ${hangFlag}`)
    await until('only one is left', async () => (await names('pods')).trim() === 'pod/lonely')
  })

  tests('a namespace goes with all that is in it', async () => {
    await ctl.ok('create namespace shop')
    await ctl.ok('-n shop create deployment web --image=main:1 --replicas=2')
    await ctl.ok(`-n shop rollout status deployment/web ${hangFlag}`)
    await ctl.ok(`delete namespace shop ${hangFlag}`)
    assert.match((await ctl.run('get namespace shop')).stderr, 'NotFound')
  })
}

tests.run()
