/** kubectl meets admission: what quotas, limits, levels of security and webhooks say, under both platforms' names. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { hangFlag } from '../support/deadline.ts'
import { type HttpsServer, startHttpsServer } from '../support/https-server.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { answered, type Review } from '../support/webhooks.ts'

const binary = defaultKubectl()
if (binary === undefined) console.log('SKIP kubectl: there is no kubectl in PATH')
else {
  describe(binary, 'orch', { domain: 'orch.io', api: 'orch.io' })
  describe(binary, 'kubernetes', { domain: 'kubernetes.io', api: 'k8s.io' })
}

interface Names {
  readonly domain: string
  readonly api: string
}

const image = 'example/app:1'

function pod(name: string, spec: object = {}, resources: object = {}) {
  const containers = [{ name: 'main', image, resources }]
  return text('v1', 'Pod', name, { spec: { containers, ...spec } })
}

function text(apiVersion: string, kind: string, name: string, more: object = {}): string {
  return JSON.stringify({ apiVersion, kind, metadata: { name }, ...more })
}

function describe(file: string, platform: string, { domain, api }: Names): void {
  const tests = suite(`e2e: kubectl meets admission (${platform})`)
  const home = tempDirectory()
  const orchconfig = join(home, 'orchconfig')
  let running: Running
  let ctl: Kubectl
  let hooks: HttpsServer

  tests.before(async () => {
    const names = join(packageRoot, `schemas/platform/${platform}.yaml`)
    const args = ['up', clusterControllers, '--orchconfig', orchconfig]
    running = await startProgram(
      orchCommand,
      platform === 'orch' ? args : [...args, '--platform', names],
    )
    hooks = await startHttpsServer(judge)
    ctl = kubectl(file, orchconfig, home)
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
    await hooks.stop()
  })

  /** What kubectl says of what is refused. */
  async function refused(line: string, input: string): Promise<string> {
    const { code, stderr } = await ctl.run(line, input)
    assert.is(code, 1, stderr)
    return stderr.trim()
  }

  tests('a quota that is used up is shown with its numbers (Q-16)', async () => {
    await ctl.ok('create namespace small')
    await ctl.ok('create quota few -n small --hard=pods=1,requests.cpu=1')
    const asks = { requests: { cpu: '600m' } }
    await ctl.ok('create -n small -f -', pod('one', {}, asks))
    assert.is(
      await refused('create -n small -f -', pod('two', {}, asks)),
      'Error from server (Forbidden): error when creating "STDIN": pods "two" is forbidden: exceeded quota: few, ' +
        'requested: pods=1,requests.cpu=600m, used: pods=1,requests.cpu=600m, limited: pods=1,requests.cpu=1',
    )
    assert.match(
      await refused('create -n small -f -', pod('three')),
      'failed quota: few: must specify requests.cpu for: main',
    )
    assert.match(await ctl.ok('describe quota few -n small'), /pods +1 +1\nrequests.cpu +600m +1/)
    await ctl.ok('delete pod one -n small --now')
    await ctl.ok('create -n small -f -', pod('two', {}, asks))
  })

  tests('limits of a namespace fill in what a pod does not say (Q-14)', async () => {
    await ctl.ok('create namespace limited')
    const limits = [
      {
        type: 'Container',
        default: { cpu: '500m' },
        defaultRequest: { cpu: '100m' },
        max: { cpu: '1' },
      },
    ]
    await ctl.ok('create -n limited -f -', text('v1', 'LimitRange', 'range', { spec: { limits } }))
    await ctl.ok('create -n limited -f -', pod('plain'))
    const path = '{.spec.containers[0].resources}'
    assert.is(
      await ctl.ok(`get pod plain -n limited -o jsonpath=${path}`),
      '{"limits":{"cpu":"500m"},"requests":{"cpu":"100m"}}',
    )
    assert.match(
      await ctl.ok('describe pod plain -n limited'),
      `${domain}/limit-ranger: LimitRanger plugin set: cpu request for container main; cpu limit for container main`,
    )
    assert.is(
      await refused('create -n limited -f -', pod('big', {}, { limits: { cpu: '2' } })),
      'Error from server (Forbidden): error when creating "STDIN": pods "big" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
    )
  })

  tests('a level of security warns and refuses (Q-20, Q-10)', async () => {
    await ctl.ok('create namespace strict')
    const key = `pod-security.${domain}`
    await ctl.ok(`label ns strict ${key}/enforce=baseline ${key}/warn=restricted`)
    assert.is(
      await refused('create -n strict -f -', pod('host', { hostNetwork: true })),
      'Error from server (Forbidden): error when creating "STDIN": pods "host" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    )
    const { code, stdout, stderr } = await ctl.run('create -n strict -f -', pod('plain'))
    assert.is(code, 0, stderr)
    assert.is(stdout, 'pod/plain created\n')
    assert.match(
      stderr,
      'Warning: would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "main" must set',
    )
    const relabelled = await ctl.run(`label ns strict --overwrite ${key}/enforce=restricted`)
    assert.match(
      relabelled.stderr,
      /Warning: existing pods in namespace "strict" violate the new PodSecurity enforce level "restricted:latest"\nWarning: plain: allowPrivilegeEscalation != false, /,
    )
    assert.match(
      await refused(`label ns strict --overwrite ${key}/warn=none`, ''),
      `The Namespace "strict" is invalid: metadata.labels[${key}/warn]: Invalid value: "none": must be one of privileged, baseline, restricted`,
    )
  })

  tests('a namespace that ends takes nothing in until it is gone (Q-13, X-18)', async () => {
    await ctl.ok('create namespace ending')
    const metadata = { name: 'held', finalizers: ['example.com/hold'] }
    const held = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata })
    await ctl.ok('create -n ending -f -', held)
    await ctl.ok('delete ns ending --wait=false')
    assert.is(
      await refused('create -n ending -f -', pod('late')),
      'Error from server (Forbidden): error when creating "STDIN": pods "late" is forbidden: unable to create new content in namespace ending because it is being terminated',
    )
    const free = JSON.stringify({ metadata: { finalizers: null } })
    await ctl.ok(`patch cm held -n ending --type=merge -p ${free}`)
    await ctl.ok(`wait --for=delete ns/ending ${hangFlag}`)
  })

  tests(
    'there is no way into a namespace that is not there, nor out of one of the system (Q-13)',
    async () => {
      assert.match(
        await refused('create -n nowhere -f -', pod('lost')),
        'Error from server (NotFound): error when creating "STDIN": namespaces "nowhere" not found',
      )
      assert.match(
        await refused('delete ns default', ''),
        'Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted',
      )
    },
  )

  tests('webhooks change, refuse and warn (Q-04, Q-05, Q-08, Q-10)', async () => {
    const webhook = (name: string) => ({
      name: `${name}.example.com`,
      clientConfig: { url: `${hooks.url}/${name}`, caBundle: hooks.caBundle },
      rules: [
        {
          operations: ['CREATE', 'UPDATE'],
          apiGroups: [''],
          apiVersions: ['v1'],
          resources: ['configmaps'],
        },
      ],
      namespaceSelector: { matchLabels: { hooked: 'yes' } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    })
    const registration = `admissionregistration.${api}/v1`
    const configure = (kind: string, name: string) =>
      ctl.ok('create -f -', text(registration, kind, name, { webhooks: [webhook(name)] }))
    await ctl.ok('create namespace hooked')
    await ctl.ok('label ns hooked hooked=yes')
    await configure('MutatingWebhookConfiguration', 'colour')
    await configure('ValidatingWebhookConfiguration', 'judge')
    await ctl.ok('create configmap good -n hooked --from-literal=a=b')
    const colour = await ctl.ok('get cm good -n hooked -o jsonpath={.metadata.labels.colour}')
    assert.is(colour, 'blue')
    assert.is(
      await refused('create configmap bad -n hooked', ''),
      'error: failed to create configmap: admission webhook "judge.example.com" denied the request: bad is no name',
    )
    const told = await ctl.run('create configmap odd -n hooked')
    assert.is(told.stdout, 'configmap/odd created\n')
    assert.is(told.stderr, 'Warning: odd is an odd name\n')
    const dry = await ctl.run('create configmap bad -n hooked --dry-run=server')
    assert.is(dry.code, 1)
    await hooks.stop()
    assert.match(
      await refused('create configmap late -n hooked', ''),
      /failed calling webhook "colour.example.com": failed to call webhook: Post "https:.*": dial tcp .*: connect: connection refused/,
    )
    await ctl.ok('create configmap elsewhere -n default')
  })

  tests.run()
}

/** Labels every map blue, refuses those that are called bad, warns of those that are called odd. */
function judge(review: Review, { path }: { readonly path: string }) {
  const { name } = review.request
  if (path.startsWith('/colour')) {
    const patch = [{ op: 'add', path: '/metadata/labels', value: { colour: 'blue' } }]
    return answered(review, {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    })
  }
  if (name === 'bad') {
    return answered(review, { allowed: false, status: { message: 'bad is no name', code: 403 } })
  }
  const warnings = name === 'odd' ? ['odd is an odd name'] : []
  return answered(review, { allowed: true, warnings })
}
