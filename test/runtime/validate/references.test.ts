/** What documents say of each other: references, keys, selectors, ports, over all files of a run. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { openValidator } from '../../../runtime/validate/validate.ts'

const test = suite('runtime/validate/references')

/** Findings about several documents as `file:line:column rule`, of texts that are valid by themselves. */
async function across(texts: Readonly<Record<string, string>>, complete = false) {
  const platforms = [{ marks: [], load: async () => scheme }]
  const validator = openValidator({ platforms, today: '2026-11-23', complete })
  try {
    for (const [name, text] of Object.entries(texts)) await validator.learn({ name, text })
    for (const [name, text] of Object.entries(texts)) {
      assert.equal((await validator.check({ name, text })).findings, [])
    }
    const { findings } = await validator.across()
    return findings.map(({ file, at, rule }) => `${file}:${at?.line}:${at?.column} ${rule}`)
  } finally {
    await validator.close()
  }
}

const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {level: info}\n'
const service = `apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: http}]
`
const pod = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers:
    - name: web
      image: a
      ports: [{name: http, containerPort: 80}]
      env: [{name: LEVEL, valueFrom: {configMapKeyRef: {name: settings, key: level}}}]
`
const ingress = `apiVersion: networking.orch.io/v1
kind: Ingress
metadata: {name: web}
spec:
  defaultBackend: {service: {name: web, port: {number: 80}}}
`
const binding = `apiVersion: rbac.authorization.orch.io/v1
kind: RoleBinding
metadata: {name: a}
roleRef: {apiGroup: rbac.authorization.orch.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: robot, namespace: default}]
`
const role = `apiVersion: rbac.authorization.orch.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
`

test('documents that fit each other have no finding', async () => {
  assert.equal(await across({ config, service, pod, ingress, role }, true), [])
})

test('a name close to one that is there is a finding, in whatever order files come', async () => {
  const wrong = pod.replace('name: settings', 'name: setting')
  assert.equal(await across({ wrong, config }), ['wrong:9:63 reference.missing'])
  assert.equal(await across({ config, wrong }), ['wrong:9:63 reference.missing'])
})

test('a name that no file has is a finding only where the files are all that there is', async () => {
  assert.equal(await across({ pod }), [])
  assert.equal(await across({ pod }, true), ['pod:9:63 reference.missing'])
  assert.equal(await across({ binding }), [])
  assert.equal(await across({ binding }, true), [
    'binding:4:67 reference.missing',
    'binding:5:41 reference.missing',
  ])
})

test('what is optional may be missing', async () => {
  const optional = pod.replace('key: level', 'key: level, optional: true')
  assert.equal(await across({ optional }, true), [])
})

test('a key that a config map does not have is a finding', async () => {
  const wrong = pod.replace('key: level', 'key: levels')
  assert.equal(await across({ config, wrong }), ['wrong:9:78 reference.key'])
})

test('a selector that finds no pod, and ports that nothing has, are findings', async () => {
  const other = service.replace('app: web', 'app: wab')
  assert.equal(await across({ other, config, pod }), ['other:5:3 selector.matches-nothing'])
  const port = service.replace('targetPort: http', 'targetPort: htp')
  assert.equal(await across({ port, config, pod }), ['port:6:46 port.missing'])
  const backend = ingress.replace('number: 80', 'number: 81')
  assert.equal(await across({ backend, config, service, pod }), ['backend:5:56 port.missing'])
})

test('namespaces are told apart', async () => {
  const elsewhere = config.replace('settings}', 'settings, namespace: other}')
  assert.equal(await across({ elsewhere, pod }), [])
  assert.equal(await across({ elsewhere, pod }, true), ['pod:9:63 reference.missing'])
})

test('a comment suppresses such findings, and one that is of no use is told', async () => {
  const note = '# orch-ignore reference.missing: made by hand'
  const wrong = pod.replace('level}}}]', `level}}}] ${note}`)
  assert.equal(await across({ wrong }, true), [])
  assert.equal(await across({ config, wrong }, true), ['wrong:9:88 suppression.unused'])
})

/** A definition whose objects name secrets, with what it says of that in place of `rows`. */
const definition = (rows: string) => `apiVersion: apiextensions.orch.io/v1
kind: CustomResourceDefinition
metadata:
  name: sites.example.com
  annotations:
    orch.io/references: '${rows}'
spec:
  group: example.com
  scope: Namespaced
  names: {plural: sites, singular: site, kind: Site, listKind: SiteList}
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
              properties:
                hosts: {type: array, items: {type: object, properties: {tls: {type: string}}}}
                secretRef: {type: object, properties: {name: {type: string}}}
`
const row = '[{"field":"spec.hosts[].tls","kind":"Secret"}]'
const site = `apiVersion: example.com/v1
kind: Site
metadata: {name: a}
spec: {hosts: [{tls: certt}], secretRef: {name: certt}}
`
const secret = 'apiVersion: v1\nkind: Secret\nmetadata: {name: cert}\n'

test('a custom kind names what its definition declares, and nothing else', async () => {
  assert.equal(await across({ crd: definition(row), site, secret }), [
    'site:4:22 reference.missing',
  ])
})

test('a declaration that says nothing is told', async () => {
  const found = async (rows: string) => {
    const platforms = [{ marks: [], load: async () => scheme }]
    const validator = openValidator({ platforms, today: '2026-11-23' })
    const { findings } = await validator.check({ name: 'crd', text: definition(rows) })
    await validator.close()
    return findings.map(({ at, rule, message }) => `${at?.line}:${at?.column} ${rule} ${message}`)
  }
  const place = '6:25 definition.references metadata.annotations[orch.io/references]'
  assert.equal(await found(row), [])
  assert.equal(await found('tls'), [`${place}: a list of references as JSON has to stand here`])
  assert.equal(await found('[{"field":"spec.tls"}]'), [
    `${place}: [0] has to have either "kind" or "kindField"`,
  ])
  assert.equal(await found('[{"field":"spec.hosts[].tsl","kind":"Secret"}]'), [
    `${place}: [0] names spec.hosts[].tsl, which no version has`,
  ])
})

test('objects of a kind of the same name in another group are not meant', async () => {
  const other = definition('[]').replaceAll('Site', 'Secret').replaceAll('site', 'secret')
  const own = 'apiVersion: example.com/v1\nkind: Secret\nmetadata: {name: certt}\n'
  const used = site.replace('certt}]', 'cert}]')
  assert.equal(await across({ crd: definition(row), other, own, site, secret }), [
    'site:4:22 reference.missing',
  ])
  assert.equal(await across({ crd: definition(row), other, own, site: used, secret }), [])
})

test.run()
