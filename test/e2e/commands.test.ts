/**
 * A day with kubectl: one command after the other against one server, with the platform's own names and with the public
 * ecosystem's. What a row says is what a person at the terminal sees.
 */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { hangFlag } from '../support/deadline.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

/** A command line, what it prints to either stream, and what it is given on its input. */
type Row = readonly [line: string, prints: RegExp | readonly RegExp[], more?: More]

interface More {
  readonly input?: string
  /** How it ends, if not with 0. */
  readonly code?: number
}

const platforms = [
  { name: 'own names', args: [] },
  {
    name: 'public names',
    args: ['--platform', join(packageRoot, 'schemas/platform/kubernetes.yaml')],
  },
]

const manifest = (replicas: number, image: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { tier: front } }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: '${image}' }] }
`

const settings = (data: string) => `apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: ${data}
`

/** A revision of the Deployment, as its controller would leave it. */
const revision = (number: number, image: string) => `apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-${number}
  labels: { app: web, pod-template-hash: h${number} }
  annotations: { deployment.kubernetes.io/revision: '${number}' }
  ownerReferences: [{ apiVersion: apps/v1, kind: Deployment, name: web, uid: UID, controller: true }]
spec:
  replicas: 0
  selector: { matchLabels: { app: web, pod-template-hash: h${number} } }
  template:
    metadata: { labels: { app: web, pod-template-hash: h${number} } }
    spec: { containers: [{ name: main, image: '${image}' }] }
`

const rolledOut = JSON.stringify({
  status: {
    observedGeneration: 999,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    conditions: [{ type: 'Available', status: 'True', reason: 'Enough' }],
  },
})

// CL-06
const creating: readonly Row[] = [
  ['create namespace shop', /^namespace\/shop created/],
  ['config set-context --current --namespace shop', /modified/],
  ['create configmap colours --from-literal=sky=blue', /^configmap\/colours created/],
  ['create configmap colours', /configmaps "colours" already exists/, { code: 1 }],
  ['create secret generic key --from-literal=word=open', /^secret\/key created/],
  ['create serviceaccount robot', /^serviceaccount\/robot created/],
  ['create service clusterip shopfront --tcp=80:8080', /^service\/shopfront created/],
  ['create -f -', /^configmap\/settings created/, { input: settings('{ a: one }') }],
  ['run once --image=example.com/once:1 --restart=Never', /^pod\/once created/],
  ['create deployment plain --image=example.com/plain:1', /^deployment.apps\/plain created/],
  ['create -f - --dry-run=server', /created \(server dry run\)/, { input: manifest(1, 'x:1') }],
  ['get deployment web', /NotFound/, { code: 1 }],
]

const applying: readonly Row[] = [
  ['diff -f -', /^\+ *name: web$/m, { input: manifest(1, 'example.com/web:1'), code: 1 }],
  ['apply -f -', /web created/, { input: manifest(1, 'example.com/web:1') }],
  ['apply -f -', /web unchanged/, { input: manifest(1, 'example.com/web:1') }],
  ['diff -f -', /^$/, { input: manifest(1, 'example.com/web:1') }],
  ['diff -f -', /^\+ +replicas: 2$/m, { input: manifest(2, 'example.com/web:1'), code: 1 }],
  ['apply -f -', /web configured/, { input: manifest(2, 'example.com/web:1') }],
  ['apply view-last-applied deployment web', /replicas: 2/],
  ['apply -f - --server-side', /settings serverside-applied/, { input: settings('{ a: one }') }],
  [
    'apply -f - --server-side --field-manager other',
    [/conflicts? with "kubectl/, /\.data\.a/, /--force-conflicts/],
    { input: settings('{ a: two }'), code: 1 },
  ],
  [
    'apply -f - --server-side --field-manager other --force-conflicts',
    /settings serverside-applied/,
    { input: settings('{ a: two }') },
  ],
  ['get configmap settings -o jsonpath={.data.a}', /^two$/],
  ['get configmap settings -o yaml --show-managed-fields', /manager: other/],
]

// CL-02
const reading: readonly Row[] = [
  ['get namespaces', [/^NAME +STATUS +AGE$/m, /^shop +Active +\d+s$/m]],
  ['get deployments', [/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE$/m, /^web +0\/2 +0 +0 +\d+s$/m]],
  ['get deploy -o wide', /CONTAINERS +IMAGES +SELECTOR/],
  ['get deployment web -o yaml', /^kind: Deployment$/m],
  ['get deployment web -o json', /"kind": "Deployment"/],
  ['get deployment web -o name', /^deployment.apps\/web$/m],
  ['get deployment web -o jsonpath={.spec.replicas}', /^2$/],
  ['get deployments -o custom-columns=N:.metadata.name,R:.spec.replicas', /^web +2$/m],
  ['get deployments -o go-template={{len}}.items', /error/, { code: 1 }],
  ['get deployments -o jsonpath={.items[*].metadata.name}', /^plain web$/],
  ['get deployments --sort-by=.metadata.name', /plain[\s\S]*web/],
  ['get deployments --no-headers', /^plain/],
  ['get deployments --show-labels', /tier=front/],
  ['get deployments -L tier', /TIER[\s\S]*front/],
  ['get deployments -l tier=front -o name', /^deployment.apps\/web\n$/],
  ['get deployments -l tier!=front -o name', /^deployment.apps\/plain\n$/],
  ['get pods --field-selector spec.restartPolicy=Never -o name', /^pod\/once\n$/],
  ['get pods --field-selector spec.colour=red', /not supported|not known/, { code: 1 }],
  // L-17
  ['get secret key -o jsonpath={.data.word}', /^b3Blbg==$/],
  ['get configmaps,secrets', [/configmap\/colours/, /secret\/key/]],
  ['get all', [/pod\/once/, /service\/shopfront/, /deployment.apps\/web/]],
  ['get configmaps -A --chunk-size=1', /^shop +colours /m],
  ['get --raw /api/v1/namespaces/shop/configmaps/colours', /"sky":"blue"/],
  ['get --raw /readyz?verbose', /readyz check passed/],
  ['describe deployment web', [/^Replicas: +2 desired/m, /^Selector: +app=web$/m]],
  ['describe configmap colours', /^sky:\n-+\nblue$/m],
  ['describe namespace shop', /^Status: +Active$/m],
  ['describe pod once', /^Name: +once$/m],
  ['explain deployment.spec.strategy.rollingUpdate', /maxSurge/],
  ['explain pods --recursive', /containerPort/],
  // S-20: the core group comes before events.orch.io.
  ['explain ev', [/^KIND: +Event$/m, /^VERSION: +v1$/m]],
  ['explain deployment.spec.nothing', /does not exist/, { code: 1 }],
  ['api-resources --namespaced=false', /^namespaces +ns +v1 +false +Namespace$/m],
  ['api-resources --verbs=list,create -o name', /^deployments\.apps$/m],
  ['api-resources --api-group=apps -o wide', /^deployments .*create,.*watch +all$/m],
  ['api-versions', /^apps\/v1$/m],
  ['version', /Server Version: v1\.29/],
  ['cluster-info', /is running at/],
]

const changing: readonly Row[] = [
  ['label deployment web team=a', /labeled/],
  ['label deployment web team=b', /already has a value/, { code: 1 }],
  ['label deployment web team=b --overwrite', /labeled/],
  ['label deployment web team-', /unlabeled/],
  ['annotate deployment web note=hello', /annotated/],
  ['scale deployment web --replicas=3', /web scaled/],
  ['scale deployment web --current-replicas=9 --replicas=1', /[Ee]xpected replicas/, { code: 1 }],
  ['get deployment web -o jsonpath={.spec.replicas}', /^3$/],
  ['set image deployment/web main=example.com/web:2', /image updated/],
  ['set env deployment/web COLOUR=red', /env updated/],
  ['set resources deployment web --limits=cpu=200m', /resource requirements updated/],
  [
    'patch deployment web -p {"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s:1"}]}}}}',
    /patched/,
  ],
  ['get deployment web -o jsonpath={.spec.template.spec.containers[*].name}', /^side main$/],
  ['patch deployment web --type merge -p {"metadata":{"labels":{"m":"1"}}}', /patched/],
  ['patch deployment web --type merge -p {"metadata":{"labels":{"m":"1"}}}', /no change/],
  [
    'patch deployment web --type json -p [{"op":"test","path":"/spec/replicas","value":7}]',
    /request is invalid/,
    { code: 1 },
  ],
  ['edit configmap colours', /edited/],
  ['get configmap colours -o jsonpath={.data.sky}', /^grey$/],
  ['replace -f -', /replaced/, { input: settings('{ b: three }') }],
  ['set selector service shopfront app=web', /selector updated/],
  // CL-06
  ['expose deployment web --port=80 --name=door', /^service\/door exposed/],
  ['autoscale deployment web --max=4', /web autoscaled/],
  ['delete hpa web', /"web" deleted/],
  ['rollout pause deployment web', /paused/],
  ['rollout resume deployment web', /resumed/],
  ['rollout restart deployment web', /restarted/],
  ['rollout status deployment web --watch=false', /Waiting for deployment/],
  [`patch deployment web --subresource status --type merge -p ${rolledOut}`, /patched/],
  // CL-10
  ['rollout status deployment web', /successfully rolled out/],
  [`wait deployment web --for=condition=Available ${hangFlag}`, /condition met/],
  [`wait deployment web --for=jsonpath={.spec.replicas}=3 ${hangFlag}`, /condition met/],
]

const undoing: readonly Row[] = [
  ['rollout history deployment web', [/^1 +<none>$/m, /^2 +<none>$/m]],
  ['rollout history deployment web --revision=1', /example\.com\/web:1/],
  ['rollout undo deployment web --to-revision=1', /rolled back/],
  ['get deployment web -o jsonpath={..image}', /^example\.com\/web:1$/],
]

const deleting: readonly Row[] = [
  ['delete configmap colours --dry-run=server', /server dry run/],
  ['delete configmap colours', /"colours" deleted/],
  ['delete configmap colours', /NotFound/, { code: 1 }],
  ['delete configmap colours --ignore-not-found', /^$/],
  ['delete replicaset web-1 --cascade=orphan --wait=false', /deleted/],
  ['delete deployment web --cascade=foreground --wait=false', /deleted/],
  ['delete deployment plain --cascade=background', /deleted/],
  ['delete pod once --now', /deleted/],
  ['delete secrets,serviceaccounts --all', [/"key" deleted/, /"robot" deleted/]],
  ['delete services -l app=web', /"door" deleted|No resources/],
  ['delete -f -', /"settings" deleted/, { input: settings('{}') }],
]

const binary = defaultKubectl()
if (binary === undefined) {
  console.log(
    'SKIP a day with kubectl: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
  )
  suite('e2e: a day with kubectl').run()
} else {
  for (const { name, args } of platforms) describe(name, args, binary)
}

function describe(name: string, args: readonly string[], program: string): void {
  const day = suite(`e2e: a day with kubectl, ${name}`)
  let running: Running
  let ctl: Kubectl

  day.before(async () => {
    const home = tempDirectory()
    const orchconfig = join(home, 'orchconfig')
    running = await startProgram(orchCommand, [
      'up',
      clusterControllers,
      '--orchconfig',
      orchconfig,
      ...args,
    ])
    ctl = kubectl(program, orchconfig, home, { KUBE_EDITOR: 'sed -i s/blue/grey/' })
  })
  day.after(async () => {
    assert.is(await running.stop(), 0)
  })

  const play = (rows: readonly Row[]) => {
    for (const [at, row] of rows.entries()) day(titleOf(row, at), () => check(ctl, row))
  }
  play(creating)
  play(applying)
  play(reading)
  play(changing)
  day('a Deployment has the revisions that its ReplicaSets carry', async () => {
    const uid = await ctl.ok('get deployment web -o jsonpath={.metadata.uid}')
    for (const number of [1, 2]) {
      const text = revision(number, `example.com/web:${number}`).replace('UID', uid)
      await ctl.ok('create -f -', text)
    }
  })
  play(undoing)
  play(deleting)
  day.run()
}

function titleOf([line, , { code = 0 } = {}]: Row, at: number): string {
  const short = line.length > 80 ? `${line.slice(0, 77)}...` : line
  return `${at + 1}: kubectl ${short}${code === 0 ? '' : ` ends with ${code}`}`
}

async function check(ctl: Kubectl, [line, prints, more = {}]: Row): Promise<void> {
  const { input, code = 0 } = more
  const done = await ctl.run(line, input)
  const printed = done.stdout + done.stderr
  assert.is(done.code, code, printed)
  for (const pattern of [prints].flat()) assert.match(printed, pattern)
}
