/** `orch migrate` as users start it: files of versions that are gone. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runMigrate } from '../../../tools/orch/migrate.ts'

const test = suite<{ folder: string }>('tools/orch: migrate')

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'orch-migrate-'))
})
test.after.each(({ folder }) => rm(folder, { recursive: true }))

async function migrate(...args: readonly string[]) {
  const lines: string[] = []
  const errors: string[] = []
  const print = (line: string) => void lines.push(line)
  const printError = (line: string) => void errors.push(line)
  const code = await runMigrate({ args, environment: {}, width: 100, print, printError })
  return { code, text: lines.join('\n'), errors: errors.join('\n') }
}

/** What a file becomes. */
async function become(folder: string, before: string, ...args: readonly string[]): Promise<string> {
  const file = join(folder, 'a.yaml')
  await writeFile(file, before)
  const { code, errors } = await migrate(file, ...args)
  assert.equal({ code, errors }, { code: 0, errors: '' })
  return readFile(file, 'utf8')
}

const ingress = `# the way in\r
apiVersion: "networking.k8s.io/v1beta1" # old
kind: Ingress
metadata: {name:   web}
spec:
  backend: {serviceName: web, servicePort: http}   # whatever is left
  rules:
  - host: a.example.com
    http:
      paths:
      - path: /
        # the shop
        backend:
          serviceName: shop # here
          # on the usual port
          servicePort: 80
`

test('fields are renamed and go deeper, defaults are written, and every other byte stays', async ({
  folder,
}) => {
  assert.is(
    await become(folder, ingress),
    `# the way in\r
apiVersion: "networking.k8s.io/v1" # old
kind: Ingress
metadata: {name:   web}
spec:
  defaultBackend: {service: {name: web, port: {name: http}}}   # whatever is left
  rules:
  - host: a.example.com
    http:
      paths:
      - pathType: ImplementationSpecific
        path: /
        # the shop
        backend:
          service:
            name: shop # here
          # on the usual port
            port:
              number: 80
`,
  )
})

const webhook = `apiVersion: admissionregistration.k8s.io/v1beta1
kind: ValidatingWebhookConfiguration
metadata: {name: a}
webhooks:
- name: a.example.com
  timeoutSeconds: 5
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {url: "https://a.example.com/"}
`

test('what an absent field meant is written where the default is another one now', async ({
  folder,
}) => {
  const after = await become(folder, webhook)
  assert.is(
    after,
    webhook
      .replace('v1beta1', 'v1')
      .replace('- name', '- failurePolicy: Ignore\n  matchPolicy: Exact\n  name'),
  )
})

test('only versions that the release deprecates or removed are rewritten', async ({ folder }) => {
  const text = `apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: PriorityLevelConfiguration
metadata: {name: a}
spec: {type: Limited, limited: {nominalConcurrencyShares: 5, limitResponse: {type: Reject}}}
`
  assert.is(await become(folder, text, '--release', '1.28'), text)
  assert.is(await become(folder, text, '--release', '1.32'), text.replace('v1beta3', 'v1'))
})

const budget = (selector: string) => `apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: a}
spec:
  minAvailable: 1
  selector: ${selector}
`

test('what the newer version cannot say is refused with its place, and its file stays', async ({
  folder,
}) => {
  const [good, bad, gone] = ['good', 'bad', 'gone'].map((name) => join(folder, `${name}.yaml`))
  await writeFile(good as string, budget('{matchLabels: {app: web}}'))
  const two = `${budget('{matchLabels: {app: web}}')}---\n${budget('{}').replace('name: a', 'name: b')}`
  await writeFile(bad as string, two)
  await writeFile(
    gone as string,
    'apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: a}\n',
  )
  const { code, text, errors } = await migrate(folder, '-o', 'json')
  assert.is(code, 1)
  assert.is(text, '1 file changed')
  const { findings } = JSON.parse(errors)
  assert.equal(
    findings.map((one: Record<string, unknown>) => [one.rule, one.file, one.line, one.column]),
    [
      ['migrate.refused', bad, 13, 3],
      ['migrate.refused', gone, 1, 13],
    ],
  )
  assert.is(await readFile(bad as string, 'utf8'), two)
  assert.is(
    await readFile(good as string, 'utf8'),
    budget('{matchLabels: {app: web}}').replace('v1beta1', 'v1'),
  )
  assert.equal((await readdir(folder)).sort(), ['bad.yaml', 'gone.yaml', 'good.yaml'])
})

test('what a server would refuse in the newer version is refused, too', async ({ folder }) => {
  const file = join(folder, 'a.yaml')
  const text = `apiVersion: autoscaling/v2beta1
kind: HorizontalPodAutoscaler
metadata: {name: a}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 3
  metrics:
  - type: Resource
    resource: {name: cpu, targetAverageUtilization: 80}
`
  await writeFile(file, text)
  const { code, errors } = await migrate(file)
  assert.is(code, 1)
  assert.match(errors, /a\.yaml:9:27: error: .*cannot become autoscaling\/v2: .*unknown field/)
  assert.is(await readFile(file, 'utf8'), text)
})

test('--dry-run prints the change and writes nothing', async ({ folder }) => {
  const file = join(folder, 'a.yaml')
  await writeFile(file, webhook)
  const { code, text } = await migrate(file, '--dry-run')
  assert.is(code, 1)
  assert.match(
    text,
    '-apiVersion: admissionregistration.k8s.io/v1beta1\n+apiVersion: admissionregistration.k8s.io/v1\n',
  )
  assert.match(text, '1 file would change')
  assert.is(await readFile(file, 'utf8'), webhook)
})

test.run()
