import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { openValidator, type Validator } from '../../../runtime/validate/validate.ts'

const validator = suite('runtime/validate/validator')

/** Checks texts in their order, after learning all of them; a finding is `file:line:column rule message`. */
async function findingsIn(texts: Readonly<Record<string, string | Uint8Array>>, release?: string) {
  const options = {
    platforms: [{ marks: [], load: async () => scheme }],
    today: '2026-11-23',
    ...(release !== undefined && { release }),
  }
  const opened = openValidator(options)
  const reread = (name: string) => ({ name, text: texts[name] ?? '' })
  const unplaced = openValidator({ ...options, reread })
  try {
    const told = await checkAll(opened, texts)
    assert.equal(await checkAll(unplaced, texts), told)
    return told
  } finally {
    await Promise.all([opened.close(), unplaced.close()])
  }
}

async function checkAll(opened: Validator, texts: Readonly<Record<string, string | Uint8Array>>) {
  const sources = Object.entries(texts).map(([name, text]) => ({ name, text }))
  for (const source of sources) await opened.learn(source)
  const told: string[] = []
  for (const source of sources) {
    const { findings } = await opened.check(source)
    for (const { file, at, rule, message } of findings) {
      const place = at === undefined ? file : `${file}:${at.line}:${at.column}`
      told.push(`${place} ${rule} ${message}`)
    }
  }
  return told
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: web
          image: web:1
`

validator('a manifest that a server takes has no finding', async () => {
  assert.equal(await findingsIn({ a: deployment }), [])
})

validator('unknown fields, types and values are told all at once, each at its place', async () => {
  const text = deployment
    .replace('replicas: 2', 'replica: 2')
    .replace('image: web:1', 'image: web:1\n          imagePullPolicy: Usually')
    .replace('app: web}\n    spec', 'app: other}\n    spec')
  assert.equal(await findingsIn({ a: text }), [
    'a:6:3 field.unknown spec.replica: unknown field; did you mean "replicas"?',
    'a:11:15 field.invalid spec.template.metadata.labels: Invalid value: map[string]string{"app":"other"}: `selector` does not match template `labels`',
    'a:16:28 field.not-supported spec.template.spec.containers[0].imagePullPolicy: Unsupported value: "Usually": supported values: "Always", "IfNotPresent", "Never"',
  ])
})

validator('a document that is no YAML keeps no other from being checked', async () => {
  const text = `a: [\n---\n${deployment.replace('replicas: 2', 'replicas: two')}`
  const [first = '', ...rest] = await findingsIn({ a: text })
  assert.match(first, /^a:\d+:\d+ text\.syntax /)
  assert.equal(rest, ['a:8:13 field.type spec.replicas: must be an integer, not a string'])
})

validator('a definition makes kinds for the documents of other files', async () => {
  const definition = `apiVersion: apiextensions.orch.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              x-orch-validations:
                - rule: self.min <= self.max
                  message: min is above max
              properties:
                min: {type: integer}
                max: {type: integer}
`
  const widget = `apiVersion: example.org/v1
kind: Widget
metadata: {name: a}
spec:
  min: 3
  max: 1
  mix: 1
`
  assert.equal(await findingsIn({ a: widget, b: definition }), [
    'a:5:3 field.invalid spec: Invalid value: "object": min is above max',
    'a:7:3 field.unknown spec.mix: unknown field; did you mean "max"?',
  ])
})

validator('a kind that nobody knows is told with the nearest one', async () => {
  const text = 'apiVersion: apps/v1\nkind: Deployments\nmetadata: {name: a}\n'
  assert.equal(await findingsIn({ a: text }), [
    'a:2:7 kind.unknown no kind Deployments is known in apps/v1; did you mean apps/v1 Deployment?',
  ])
})

validator('the release decides which versions are gone', async () => {
  const text = `apiVersion: flowcontrol.apiserver.orch.io/v1beta3
kind: FlowSchema
metadata: {name: a}
spec: {priorityLevelConfiguration: {name: b}, matchingPrecedence: 1}
`
  const [now = ''] = await findingsIn({ a: text })
  assert.match(now, /^a:1:13 kind\.deprecated .*gone in 1\.32; use flowcontrol/)
  const [later = '', ...rest] = await findingsIn({ a: text }, '1.32')
  assert.match(later, /^a:1:13 kind\.removed .*gone since 1\.32; use flowcontrol/)
  assert.equal(rest, [])
})

validator('a release has neither kinds nor fields that came later', async () => {
  const text = `apiVersion: batch/v1
kind: CronJob
metadata: {name: a}
spec:
  schedule: '* * * * *'
  timeZone: Etc/UTC
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          nodeName: null
          os: {name: linux}
          containers:
          - name: a
            image: a
            resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]
`
  assert.equal(await findingsIn({ a: text }), [])
  assert.equal(await findingsIn({ a: text }, '1.27'), [])
  assert.equal(await findingsIn({ a: text }, '1.23.4'), [
    'a:6:3 field.newer spec.timeZone is there since 1.24, not in 1.23.4',
    'a:17:13 field.newer spec.jobTemplate.spec.template.spec.containers[0].resizePolicy is there since 1.27, not in 1.23.4',
  ])
  assert.equal(await findingsIn({ a: text }, '1.20'), [
    'a:1:13 kind.newer batch/v1 CronJob is there since 1.21, not in 1.20; older versions are batch/v1beta1',
  ])
})

validator(
  'a newer field is found in what a map holds, and where one of several types stands',
  async () => {
    const properties = '{a: {additionalProperties: {x-orch-validations: [{rule: "true"}]}}}'
    const text = `apiVersion: apiextensions.orch.io/v1
kind: CustomResourceDefinition
metadata: {name: pipes.example.com}
spec:
  group: example.com
  names: {kind: Pipe, plural: pipes, singular: pipe, listKind: PipeList}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: ${properties}}}}
`
    const told = (await findingsIn({ a: text }, '1.22')).filter((one) =>
      one.includes(' field.newer '),
    )
    assert.is(told.length, 1)
    assert.match(
      told[0] ?? '',
      'openAPIV3Schema.properties[a].additionalProperties.x-orch-validations is there since 1.23',
    )
  },
)

validator('a comment suppresses a rule with a reason, until a day', async () => {
  const on = (comment: string) => deployment.replace('replicas: 2', `replica: 2 ${comment}`)
  assert.equal(await findingsIn({ a: on('# orch-ignore field.unknown: known') }), [])
  assert.equal(
    await findingsIn({ a: on('# orch-ignore field.unknown until 2026-11-23: soon') }),
    [],
  )
  const rulesOf = async (text: string) =>
    (await findingsIn({ a: text })).map((one) => one.split(' ')[1])
  const late = on('# orch-ignore field.unknown until 2026-11-22: soon')
  assert.equal(await rulesOf(late), ['field.unknown', 'suppression.expired'])
  assert.equal(await rulesOf(on('# orch-ignore field.unknown')), [
    'field.unknown',
    'suppression.malformed',
  ])
  const nothing = deployment.replace('replicas: 2', 'replicas: 2 # orch-ignore field.type: why')
  assert.equal(await rulesOf(nothing), ['suppression.unused'])
})

validator('bytes that are no UTF-8 are told at their place', async () => {
  const bytes = Buffer.concat([Buffer.from('a: 1\nb: '), Buffer.from([0xff])])
  assert.equal(await findingsIn({ a: bytes }), ['a:2:4 text.encoding the text is not valid UTF-8'])
})

validator(
  'an object that stands twice is told at the second, and items of a list are objects',
  async () => {
    const text =
      'apiVersion: v1\nkind: List\nitems:\n  - &a {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n  - *a\n'
    const told = await findingsIn({ a: text })
    assert.is(told.length, 1)
    assert.match(told[0] ?? '', /object\.duplicate ConfigMap a stands at line 4, too/)
  },
)

validator('without expressions neither rules nor policies judge, and all else does', async () => {
  const options = {
    platforms: [{ marks: [], load: async () => scheme }],
    today: '2026-11-23',
    expressions: false,
  }
  const definition = `apiVersion: apiextensions.orch.io/v1
kind: CustomResourceDefinition
metadata: {name: pipes.example.com}
spec:
  group: example.com
  names: {kind: Pipe, plural: pipes, singular: pipe, listKind: PipeList}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          x-orch-validations: [{rule: "self.size < 3"}]
          properties: {size: {type: integer}}
`
  const policy = `apiVersion: admissionregistration.orch.io/v1beta1
kind: ValidatingAdmissionPolicy
metadata: {name: never}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], operations: ["*"]}]}
  validations: [{expression: "false"}]
---
apiVersion: admissionregistration.orch.io/v1beta1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: never}
spec: {policyName: never, validationActions: [Deny]}
`
  const budget = `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: a}
spec: {minAvailable: 1, maxUnavailable: 1, selector: {}}
`
  const pipe = 'apiVersion: example.com/v1\nkind: Pipe\nmetadata: {name: a}\nsize: 7\n'
  const texts = { definition, policy, budget, pipe, wrong: pipe.replace('7', 'x') }
  const found = async (expressions: boolean) => {
    const opened = openValidator({ ...options, expressions })
    const told = await checkAll(opened, texts)
    await opened.close()
    return told.map((one) => one.split(' ').slice(0, 2).join(' '))
  }
  assert.equal(await found(false), ['wrong:4:7 field.type'])
  assert.equal(await found(true), [
    'definition:1:1 policy.denied',
    'budget:4:7 field.invalid',
    'pipe:1:1 field.invalid',
    'wrong:4:7 field.type',
  ])
})

validator(
  'items of a typed list have its type where they state none, and null is no document',
  async () => {
    const text =
      'null\n---\n~\n---\napiVersion: v1\nkind: ConfigMapList\nitems:\n- {metadata: {name: a}, date: {}}\n- {apiVersion: v1, kind: Secret, metadata: {name: b}, date: {}}\n'
    assert.equal(await findingsIn({ a: text }), [
      'a:8:25 field.unknown date: unknown field; did you mean "data"?',
      'a:9:55 field.unknown date: unknown field; did you mean "data"?',
    ])
  },
)

validator(
  'addresses, families and ports of services are those of a cluster that is not known',
  async () => {
    const service = (spec: string) =>
      `apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 80}], ${spec}}\n`
    const specs = [
      'clusterIP: 172.20.0.10',
      'clusterIP: "fd00:10::1", clusterIPs: ["fd00:10::1", 10.96.0.9], ipFamilyPolicy: PreferDualStack',
      'ipFamilies: [IPv6]',
      'ipFamilyPolicy: RequireDualStack',
      'type: NodePort, externalTrafficPolicy: Local',
    ].map(service)
    const port = service('type: NodePort').replace('port: 80', 'port: 80, nodePort: 1433')
    assert.equal(
      await findingsIn({
        a: [...specs, port].join('---\n').replaceAll('name: a}', 'generateName: a}'),
      }),
      [],
    )
    const [wrong] = await findingsIn({ a: service('clusterIP: 10.0.0.300') })
    assert.match(wrong ?? '', 'field.invalid spec.clusterIPs[0]: Invalid value: "10.0.0.300"')
  },
)

validator.run()
