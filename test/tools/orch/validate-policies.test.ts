/** `orch validate` with policies, security levels, daemons' files and limits, as users start it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite<{ folder: string }>('tools/orch: validate by policies')
const command = fileURLToPath(new URL('../../../tools/orch/main.js', import.meta.url))

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'orch-policies-'))
})
test.after.each(({ folder }) => rm(folder, { recursive: true }))

/** Runs the command in the folder; findings are `file:line:column rule`. */
function run(folder: string, args: readonly string[], input = '') {
  const all = [command, 'validate', ...args, '-o', 'ndjson']
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { cwd: folder, input })
  const lines = stdout.toString().split('\n').filter(Boolean)
  const findings = lines.map((line) => JSON.parse(line))
  const places = findings.map(({ file, line, column, rule }) =>
    line === undefined ? `${file} ${rule}` : `${file}:${line}:${column} ${rule}`,
  )
  return { status, places, findings, errors: stderr.toString() }
}

const policy = `apiVersion: admissionregistration.orch.io/v1beta1
kind: ValidatingAdmissionPolicy
metadata: {name: limit}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules:
      - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
    - expression: object.spec.replicas <= int(params.data.most)
      message: too many replicas
    - expression: has(object.metadata.labels)
---
apiVersion: admissionregistration.orch.io/v1beta1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: limit-all}
spec:
  policyName: limit
  validationActions: [Deny]
  paramRef: {name: limits, namespace: default, parameterNotFoundAction: Deny}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: limits, namespace: default}
data: {most: "3"}
`

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: a}]
`

test('every failure of a policy is told, with the validation that says so', async ({ folder }) => {
  await writeFile(join(folder, 'policy.yaml'), policy)
  await writeFile(join(folder, 'web.yaml'), deployment)
  const { status, places, findings } = run(folder, ['.'])
  assert.is(status, 1)
  assert.equal(places, ['web.yaml:1:1 policy.denied', 'web.yaml:1:1 policy.denied'])
  assert.equal(
    findings.map(({ message, related }) => [message, related[0].file, related[0].line]),
    [
      ['policy limit: failed expression: has(object.metadata.labels)', 'policy.yaml', 12],
      ['policy limit: too many replicas', 'policy.yaml', 10],
    ],
  )
})

test('policies that are given judge and are not judged', async ({ folder }) => {
  await mkdir(join(folder, 'rules'))
  await writeFile(join(folder, 'rules/policy.yaml'), policy.replace('[Deny]', '[Warn]'))
  await writeFile(join(folder, 'web.yaml'), deployment)
  const { status, places } = run(folder, ['web.yaml', '--policies', 'rules'])
  assert.is(status, 0)
  assert.equal(places, ['web.yaml:1:1 policy.warning', 'web.yaml:1:1 policy.warning'])
})

test('pods keep the level of their namespace, and templates are warned of', async ({ folder }) => {
  const namespace = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {pod-security.orch.io/enforce: restricted}}
`
  const pod = `apiVersion: v1
kind: Pod
metadata: {name: a, namespace: NS}
spec: {containers: [{name: a, image: a}]}
`
  await writeFile(join(folder, 'namespace.yaml'), namespace)
  await writeFile(join(folder, 'pod.yaml'), pod.replace('NS', 'shop'))
  await writeFile(join(folder, 'web.yaml'), deployment.replace('web}', 'web, namespace: shop}'))
  assert.equal(run(folder, ['.']).places, [
    'pod.yaml:4:1 pod-security.level',
    'web.yaml:9:5 pod-security.template',
  ])
  await writeFile(join(folder, 'pod.yaml'), pod.replace('NS', 'other'))
  assert.equal(run(folder, ['pod.yaml']).places, [])
  assert.equal(run(folder, ['pod.yaml', '--pod-security', 'restricted']).places, [
    'pod.yaml:4:1 pod-security.level',
  ])
})

test("daemons' configuration files are checked by their own kinds", async ({ folder }) => {
  const text = 'apiVersion: orchlet.config.orch.io/v1beta1\nkind: OrchletConfiguration\nmaxPod: 3\n'
  const { places, findings } = run(folder, ['-'], text)
  assert.equal(places, ['<stdin>:3:1 config.invalid'])
  assert.match(findings[0].message, 'did you mean "maxPods"?')
})

test('standard input is checked, and what is too large is a finding', ({ folder }) => {
  const wrong = deployment.replace('replicas: 5', 'replicas: five')
  assert.equal(run(folder, ['-'], wrong).places, ['<stdin>:5:13 field.type'])
  assert.equal(run(folder, ['-', '--max-file-size', '20'], wrong).places, ['<stdin> text.size'])
})

test('a finding has the line of the schema and the generated type', ({ folder }) => {
  const wrong = deployment.replace('replicas: 5', 'replicas: five')
  const [{ declared }] = run(folder, ['-'], wrong).findings
  assert.match(declared.file, /schemas\/api\/apps\/v1\/deployment\.yaml$/)
  assert.ok(declared.line > 1)
  assert.is(declared.symbol, 'generated/apis/apps/v1/deployment.ts DeploymentSpec.replicas')
})

test('schema files make kinds', async ({ folder }) => {
  const schemas = fileURLToPath(new URL('../../../../examples/operator/schemas', import.meta.url))
  const text =
    'apiVersion: web.example.com/v1\nkind: Website\nmetadata: {name: a}\nspec: {page: {}}\n'
  const unknown = run(folder, ['-'], text)
  assert.match(unknown.places[0] ?? '', 'kind.unknown')
  const known = run(folder, ['-', '--schemas', schemas], text)
  assert.not.match(known.places.join(), 'kind.unknown')
})

test('only files that differ from a commit are told of', async ({ folder }) => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder })
  const wrong = deployment.replace('replicas: 5', 'replicas: five')
  git('init', '-q')
  await writeFile(join(folder, 'old.yaml'), wrong)
  git('add', '.')
  git('commit', '-qm', 'old')
  await writeFile(join(folder, 'new.yaml'), wrong)
  assert.equal(run(folder, ['.', '--changed-since', 'HEAD']).places, ['new.yaml:5:13 field.type'])
  const nowhere = run(folder, ['.', '--changed-since', 'nowhere'])
  assert.is(nowhere.status, 2)
  assert.match(nowhere.errors, 'git knows no such commit')
})

test.run()
