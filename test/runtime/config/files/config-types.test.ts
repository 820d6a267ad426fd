/** Every type and field of the configuration types of document 2 (D2.127-D2.166), from a copy of their facts. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configKinds } from '../../../../generated/config.ts'
import { configFiles } from '../../../../runtime/config/config.ts'
import type { ConfigKind, ConfigStruct } from '../../../../runtime/kernel/options/config-kind.ts'
import { factsOf } from '../../../support/facts.ts'

const { configTemplate, readSource } = await configFiles()

const types = suite('runtime/config: configuration types')

const kinds: ReadonlyMap<string, ConfigKind> = new Map(
  await Promise.all(
    Object.entries(configKinds).map(async ([key, load]) => [key, await load()] as const),
  ),
)
const structs = new Map<string, ConfigStruct>()
for (const kind of kinds.values()) {
  if (/Manager|OrchletConfiguration/.test(kind.kind)) collect(kind.type)
}

function collect(struct: ConfigStruct): void {
  if (structs.has(struct.name)) return
  structs.set(struct.name, struct)
  for (const { struct: of } of Object.values(struct.fields)) if (of !== undefined) collect(of())
}

const words: Readonly<Record<string, string>> = {
  bool: 'boolean',
  float32: 'number',
  float64: 'number',
  '[]string': 'list of string',
}

// D2.127
types('the three top-level kinds have their groups', () => {
  for (const key of [
    'cloudcontrollermanager.config.orch.io/v1alpha1/CloudControllerManagerConfiguration',
    'orchcontrollermanager.config.orch.io/v1alpha1/OrchControllerManagerConfiguration',
    'controllermanager.config.orch.io/v1alpha1/LeaderMigrationConfiguration',
  ]) {
    assert.ok(kinds.has(key), key)
  }
})

// D2.128-D2.166
types('every field of every type is there, of its type, and required', () => {
  const rows = factsOf('daemon-config.txt')
  assert.is(rows.length, 145)
  for (const [id, struct, name, type] of rows) {
    const field = structs.get(struct!)?.fields[name!]
    const row = `${id} ${struct}.${name}`
    assert.ok(field, `${row} is missing`)
    const wanted = words[type!] ?? type!.replace(/^\[\]/, 'list of ')
    assert.is(field.type, wanted, row)
    assert.is(field.required, true, row)
  }
  for (const struct of new Set(rows.map((row) => row[1]!))) {
    const fields = rows.filter((row) => row[1] === struct).map((row) => row[2])
    assert.equal(Object.keys(structs.get(struct)!.fields).sort(), fields.sort(), struct)
  }
})

// D2.167
types('the types that the document leaves open have the fields that clients know', () => {
  const fields = (name: string) => Object.keys(structs.get(name)?.fields ?? {})
  assert.equal(fields('DeprecatedControllerConfiguration'), [])
  assert.equal(fields('DebuggingConfiguration'), ['enableProfiling', 'enableContentionProfiling'])
  assert.equal(fields('ClientConnectionConfiguration'), [
    'orchconfig',
    'acceptContentTypes',
    'contentType',
    'qps',
    'burst',
  ])
  assert.is(fields('LeaderElectionConfiguration').length, 7)
  assert.is(fields('OrchletConfiguration').length, 113)
})

types('a file made of defaults is whole, and has no finding', async () => {
  for (const [key, kind] of kinds) {
    if (
      !/ManagerConfiguration|OrchletConfiguration|LeaderMigration|PodSecurity|v1\/Config$/.test(key)
    )
      continue
    const text = configTemplate(kind)
    const { findings } = await readSource(kind, { name: 'file', text, origin: 'file' })
    assert.equal(
      findings.map(({ message }) => message),
      [],
      key,
    )
  }
})

// D2.127
types('each field that a file leaves out is a finding at the mapping that lacks it', async () => {
  const kind = kinds.get('controllermanager.config.orch.io/v1alpha1/LeaderMigrationConfiguration')!
  const text = `apiVersion: ${kind.apiVersion}
kind: LeaderMigrationConfiguration
leaderName: cloud-migration
controllerLeaders:
  - component: '*'
`
  const { findings } = await readSource(kind, { name: 'm.yaml', text, origin: 'file' })
  assert.equal(findings.map(({ location: place, message }) => `${place.text}: ${message}`).sort(), [
    'm.yaml:1:1: resourceLock: Required value',
    'm.yaml:5:5: controllerLeaders[0].name: Required value',
    'm.yaml:5:5: controllerLeaders[0].name: Required value',
  ])
})

// J-01, J-02, J-03, J-04, J-05: in files these have small letters, the others the capitals of document 2.
const shared: Readonly<Record<string, readonly string[]>> = {
  ClientConnectionConfiguration: [
    ...['acceptContentTypes string', 'burst int32', 'contentType string', 'orchconfig string'],
    'qps number',
  ],
  LeaderElectionConfiguration: [
    ...['leaderElect boolean', 'leaseDuration duration', 'renewDeadline duration'],
    ...['resourceLock string', 'resourceName string', 'resourceNamespace string'],
    'retryPeriod duration',
  ],
  DebuggingConfiguration: ['enableContentionProfiling boolean', 'enableProfiling boolean'],
  DeprecatedControllerConfiguration: [],
}
for (const [struct, wanted] of Object.entries(shared)) {
  types(`${struct} has its fields, and no others`, () => {
    const fields = Object.entries(structs.get(struct)!.fields)
    assert.equal(fields.map(([name, { type }]) => `${name} ${type}`).sort(), wanted)
  })
}

// G-01
types("the agent's file has 113 fields, and its other kinds are there", () => {
  assert.is(Object.keys(structs.get('OrchletConfiguration')!.fields).length, 113)
  for (const key of [
    'orchlet.config.orch.io/v1beta1/OrchletConfiguration',
    'orchlet.config.orch.io/v1beta1/SerializedNodeConfigSource',
    'orchlet.config.orch.io/v1/CredentialProviderConfig',
  ]) {
    assert.ok(kinds.has(key), key)
  }
})

types.run()
