/**
 * Policies as an administrator meets them, by kubectl: they refuse, warn and note, with parameters of built-in and custom
 * kinds, and say what is wrong with them; with the platform's own names, and with the public ecosystem's (supplement Q-11,
 * A1.7
 */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { hangFlag } from '../support/deadline.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

interface Platform {
  readonly name: string
  /** The suffix of its groups. */
  readonly api: string
  readonly args: readonly string[]
}

const platforms: readonly Platform[] = [
  { name: 'own names', api: 'orch.io', args: [] },
  {
    name: 'public names',
    api: 'k8s.io',
    args: ['--platform', join(packageRoot, 'schemas/platform/kubernetes.yaml')],
  },
]

const found = defaultKubectl()
if (found === undefined) {
  console.log(
    'SKIP policies: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
  )
}
for (const platform of found === undefined ? [] : platforms) describe(platform, found!)
if (found === undefined) suite('e2e: policies').run()

function describe({ name, api, args }: Platform, binary: string): void {
  const tests = suite(`e2e: policies, ${name}`)
  const version = `admissionregistration.${api}/v1beta1`
  const home = tempDirectory()
  const orchconfig = join(home, 'orchconfig')
  let running: Running
  let ctl: Kubectl

  tests.before(async () => {
    running = await startProgram(orchCommand, [
      'up',
      clusterControllers,
      '--orchconfig',
      orchconfig,
      '--feature-gates',
      'ValidatingAdmissionPolicy=true',
      '--runtime-config',
      `${version}=true`,
      ...args,
    ])
    ctl = kubectl(binary, orchconfig, home)
    await ctl.ok('create namespace shop')
    await ctl.ok('create namespace lab')
    await ctl.ok('label namespace shop stage=production')
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  const policy = (policyName: string, spec: object) =>
    json({
      apiVersion: version,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: policyName },
      spec: { matchConstraints: deployments, ...spec },
    })
  const binding = (bindingName: string, policyName: string, spec: object) =>
    json({
      apiVersion: version,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: bindingName },
      spec: { policyName, ...spec },
    })
  const gone = async (...names: readonly string[]) => {
    for (const one of names) await ctl.ok(`delete ${one}`)
  }

  tests('a policy blocks a Deployment with a message that can be read', async () => {
    const validations = [
      {
        expression: 'object.spec.replicas <= variables.most',
        messageExpression:
          "'at most ' + string(variables.most) + ' replicas, not ' + string(object.spec.replicas)",
      },
    ]
    const variables = [{ name: 'most', expression: '5' }]
    await ctl.ok('apply -f -', policy('few-replicas', { validations, variables }))
    const matchResources = { namespaceSelector: { matchLabels: { stage: 'production' } } }
    await ctl.ok(
      'apply -f -',
      binding('few-in-shop', 'few-replicas', { validationActions: ['Deny'], matchResources }),
    )
    const { code, stderr } = await ctl.run('apply -n shop -f -', deployment('web', 6))
    assert.is(code, 1)
    assert.match(
      stderr,
      "ValidatingAdmissionPolicy 'few-replicas' with binding 'few-in-shop' denied request: at most 5 replicas, not 6",
    )
    assert.match(await ctl.ok('apply -n shop -f -', deployment('web', 5)), 'created')
    assert.match(await ctl.ok('apply -n lab -f -', deployment('web', 6)), 'created')
    const scaled = await ctl.run(
      'patch deployment web -n shop --type merge -p {"spec":{"replicas":9}}',
    )
    assert.match(scaled.stderr, 'at most 5 replicas, not 9')
    assert.match(await ctl.ok('get validatingadmissionpolicies'), /^few-replicas +1 +<unset> /m)
    assert.match(
      await ctl.ok('get validatingadmissionpolicybindings'),
      /^few-in-shop +few-replicas +<unset> /m,
    )
  })

  tests('without its binding the gate is open again at once', async () => {
    await ctl.ok('delete validatingadmissionpolicybinding few-in-shop')
    assert.match(await ctl.ok('apply -n shop -f -', deployment('many', 6)), 'created')
    await gone('validatingadmissionpolicy few-replicas')
  })

  tests('a policy warns, and the request passes', async () => {
    const validations = [
      {
        expression: "has(object.metadata.labels) && 'team' in object.metadata.labels",
        message: 'nobody looks after this',
      },
    ]
    await ctl.ok('apply -f -', policy('team', { validations }))
    await ctl.ok('apply -f -', binding('team', 'team', { validationActions: ['Warn', 'Audit'] }))
    const { code, stderr } = await ctl.run('create -n lab -f -', deployment('orphan', 1))
    assert.is(code, 0)
    assert.match(
      stderr,
      "Warning: Validation failed for ValidatingAdmissionPolicy 'team' with binding 'team': nobody looks after this",
    )
    await gone('validatingadmissionpolicybinding team', 'validatingadmissionpolicy team')
  })

  tests('parameters come from a ConfigMap', async () => {
    await ctl.ok('create configmap limits -n shop --from-literal=most=3')
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: 'object.spec.replicas <= int(params.data.most)' }],
    }
    const paramRef = { name: 'limits', parameterNotFoundAction: 'Deny' }
    await ctl.ok('apply -f -', policy('limits', spec))
    await ctl.ok(
      'apply -f -',
      binding('limits', 'limits', { paramRef, validationActions: ['Deny'] }),
    )
    const refused = await ctl.run('create -n shop -f -', deployment('large', 4))
    assert.match(refused.stderr, 'failed expression: object.spec.replicas <= int(params.data.most)')
    const missing = await ctl.run('create -n lab -f -', deployment('large', 1))
    assert.match(missing.stderr, 'no params found for policy binding with `Deny`')
    await ctl.ok('patch configmap limits -n shop --type merge -p {"data":{"most":"4"}}')
    assert.match(await ctl.ok('create -n shop -f -', deployment('large', 4)), 'created')
    await gone('validatingadmissionpolicybinding limits', 'validatingadmissionpolicy limits')
  })

  tests('parameters come from a custom resource', async () => {
    await ctl.ok('apply -f -', definition(`apiextensions.${api}/v1`))
    const types = 'get crd ceilings.demo.example.com -o jsonpath={.status.conditions[*].type}'
    await until('the definition has conditions', async () => (await ctl.ok(types)) !== '')
    await ctl.ok(`wait --for=condition=Established crd/ceilings.demo.example.com ${hangFlag}`)
    const ceiling = (most: number) =>
      json({
        apiVersion: 'demo.example.com/v1',
        kind: 'Ceiling',
        metadata: { name: 'shared' },
        spec: { replicas: most },
      })
    await ctl.ok('apply -f -', ceiling(2))
    const spec = {
      paramKind: { apiVersion: 'demo.example.com/v1', kind: 'Ceiling' },
      validations: [
        {
          expression: 'object.spec.replicas <= params.spec.replicas',
          messageExpression: "'the ceiling is ' + string(params.spec.replicas)",
          reason: 'Forbidden',
        },
      ],
    }
    const paramRef = { name: 'shared', parameterNotFoundAction: 'Allow' }
    await ctl.ok('apply -f -', policy('ceiling', spec))
    await ctl.ok(
      'apply -f -',
      binding('ceiling', 'ceiling', { paramRef, validationActions: ['Deny'] }),
    )
    const refused = await ctl.run('create -n lab -f -', deployment('tall', 3))
    assert.match(refused.stderr, 'Error from server (Forbidden)')
    assert.match(refused.stderr, 'denied request: the ceiling is 2')
    await ctl.ok('apply -f -', ceiling(3))
    assert.match(await ctl.ok('create -n lab -f -', deployment('tall', 3)), 'created')
    await gone('validatingadmissionpolicybinding ceiling', 'validatingadmissionpolicy ceiling')
  })

  tests('the status says which expression does not fit its kind', async () => {
    const validations = [{ expression: 'object.replicas <= 5' }]
    await ctl.ok('apply -f -', policy('typo', { validations }))
    const path = 'jsonpath={.status.typeChecking.expressionWarnings[0].warning}'
    const warning = await until('the policy is checked', () =>
      ctl.ok(`get validatingadmissionpolicy typo -o ${path}`),
    )
    assert.match(
      warning,
      "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'",
    )
    assert.match(
      await ctl.ok('describe validatingadmissionpolicy typo'),
      "undefined field 'replicas'",
    )
    await gone('validatingadmissionpolicy typo')
  })

  tests('an expression that is wrong is refused, with its place', async () => {
    const validations = [{ expression: 'object.spec.replicas <= ' }]
    const { code, stderr } = await ctl.run('apply -f -', policy('wrong', { validations }))
    assert.is(code, 1)
    assert.match(
      stderr,
      'The ValidatingAdmissionPolicy "wrong" is invalid: spec.validations[0].expression',
    )
    assert.match(stderr, 'ERROR: <input>:1:25: Syntax error')
  })

  tests.run()
}

const deployments = {
  resourceRules: [
    {
      apiGroups: ['apps'],
      apiVersions: ['v1'],
      resources: ['deployments'],
      operations: ['CREATE', 'UPDATE'],
    },
  ],
}

function deployment(name: string, replicas: number): string {
  const labels = { app: name }
  const spec = { containers: [{ name: 'main', image: 'example/app:1' }] }
  return json({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  })
}

function definition(apiVersion: string): string {
  const spec = { type: 'object', properties: { replicas: { type: 'integer' } } }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  return json({
    apiVersion,
    kind: 'CustomResourceDefinition',
    metadata: { name: 'ceilings.demo.example.com' },
    spec: {
      group: 'demo.example.com',
      scope: 'Cluster',
      names: { plural: 'ceilings', singular: 'ceiling', kind: 'Ceiling', listKind: 'CeilingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
}

function json(value: object): string {
  return JSON.stringify(value)
}
