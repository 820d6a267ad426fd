import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../../../codegen/main.ts'
import type { Kind } from '../../../../runtime/kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../../../runtime/kernel/meta/object.ts'
import { decodeBody } from '../../../../runtime/registry/strategy/decode.ts'
import { typeProblemOf } from '../../../../runtime/registry/strategy/type-refusal.ts'
import { decodeJson, decodeYaml } from '../../../../runtime/serializer/serializer.ts'
import { compiledScheme } from '../../../../tools/orch/compiled-scheme.ts'

const tests = suite('runtime/registry: values of the wrong type')

const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
const scheme = (await compiledScheme({ platform }, () => undefined))!
const served = Object.values(scheme.routes).flatMap((kind) => [
  kind,
  ...kind.subresources.flatMap(({ body }) => body?.() ?? []),
])
const kinds = new Map(served.map((kind) => [`${apiVersionOf(kind)} ${kind.kind}`, kind as Kind]))

/** Rows of apiVersion, kind, body and what a public server of release 1.29 says of the body. */
const golden = JSON.parse(
  readFileSync(join(packageRoot, 'test/golden/answers/wrong-types.json'), 'utf8'),
) as readonly (readonly [string, string, string, string])[]

async function problemOf(kind: Kind, body: ReturnType<typeof decodeJson>): Promise<string> {
  try {
    await decodeBody(scheme, { kind }, body, 'Strict')
  } catch (error) {
    return (error as Error).message.replace(/^.*? cannot be handled as a \w+: /, '')
  }
  return 'accepted'
}

const podOf = () => kinds.get('v1 Pod')!

tests('are told with the names that public servers have for fields and types', async () => {
  const wrong = []
  for (const [apiVersion, name, body, want] of golden) {
    const got = await problemOf(kinds.get(`${apiVersion} ${name}`)!, decodeJson(body))
    if (got !== want) wrong.push({ name, body, got, want })
  }
  assert.equal(wrong, [])
  assert.ok(golden.length > 200)
})

const pods: Readonly<Record<string, string>> = {
  'are told once, the first of them':
    '{"spec":{"hostNetwork":"x","nodeName":5}} json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool',
  'come before unknown fields':
    '{"specs":1,"spec":{"nodeName":5}} json: cannot unmarshal number into Go struct field PodSpec.spec.nodeName of type string',
  'come after a text that a type of its own refuses': `{"spec":{"nodeName":5,"overhead":{"cpu":"1Kk"}}} unable to parse quantity's suffix`,
  'are named by their struct and the fields that lead to it, without indexes and keys':
    '{"spec":{"containers":[{"name":"a"},{"resources":{"limits":{"cpu":1},"claims":"x"}}]}} json: cannot unmarshal string into Go struct field ResourceRequirements.spec.containers.resources.claims of type []v1.ResourceClaim',
  'in an inlined struct have the struct around it':
    '{"spec":{"volumes":[{"hostPath":"/"}]}} json: cannot unmarshal string into Go struct field Volume.spec.volumes.hostPath of type v1.HostPathVolumeSource',
}

for (const [fact, row] of Object.entries(pods)) {
  tests(fact, async () => {
    const space = row.search(/(?<=\}) /)
    const body = decodeJson(row.slice(0, space))
    assert.is(await problemOf(podOf(), body), row.slice(space + 1))
  })
}

const others: Readonly<Record<string, string>> = {
  '{"kind":"Foo","apiVersion":"v1"}':
    'Foo in version "v1" cannot be handled as a Pod: no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:100"',
  '{"kind":"Pod","apiVersion":"v2"}':
    'Pod in version "v2" cannot be handled as a Pod: no kind "Pod" is registered for version "v2" in scheme "pkg/runtime/scheme.go:100"',
  '{"kind":"Deployment","apiVersion":"apps/v1"}':
    'Deployment in version "v1" cannot be handled as a Pod: converting (v1.Deployment) to (core.Pod): unknown conversion',
}

for (const [text, want] of Object.entries(others)) {
  tests(`${text} is no Pod`, async () => {
    try {
      await decodeBody(scheme, { kind: podOf() }, decodeJson(text), 'Strict')
      assert.unreachable()
    } catch (error) {
      assert.is((error as Error).message, want)
    }
  })
}

tests('in YAML a number is the number that it is', async () => {
  const body = await decodeYaml('spec: {priority: 1.0, terminationGracePeriodSeconds: 1.5}')
  assert.match(await problemOf(podOf(), body), /number 1\.5 into .* of type int64$/)
})

tests('in YAML the first one is that of the first key in alphabetical order', async () => {
  const body = await decodeYaml('spec: {priority: x, hostNetwork: x}')
  assert.match(await problemOf(podOf(), body), /PodSpec\.spec\.hostNetwork of type bool$/)
})

const converted: Readonly<Record<string, string>> = {
  '{"spec":5}': 'cannot restore struct from: int64',
  '{"spec":{"containers":{}}}': 'cannot restore slice from map',
  '{"metadata":{"labels":"x"}}': 'cannot restore map from string',
  '{"spec":{"nodeName":1}}': 'cannot convert int64 to string',
  '{"spec":{"dnsPolicy":1}}': 'cannot convert int64 to v1.DNSPolicy',
  '{"spec":{"hostNetwork":1}}': 'unrecognized type: bool',
  '{"spec":{"priority":"x"}}': 'unrecognized type: int32',
  '{"spec":{"overhead":{"cpu":"x"}}}':
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  '{"metadata":{"creationTimestamp":5}}':
    'json: cannot unmarshal number into Go value of type string',
}

for (const [text, want] of Object.entries(converted)) {
  tests(`${text} of a strategic merge patch: ${want}`, async () => {
    const doubt = { way: 'converted' } as const
    assert.is(await typeProblemOf(scheme, podOf(), decodeJson(text).value, doubt), want)
  })
}

tests.run()
