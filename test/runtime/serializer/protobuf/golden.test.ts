/** Bytes that the public ecosystem's own encoder wrote. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../../../codegen/main.ts'
import { openEnvelope } from '../../../../runtime/serializer/protobuf/envelope.ts'
import { openProtobuf } from '../../../support/protobuf.ts'

const tests = suite('runtime/serializer/protobuf: golden bytes')
const { codec } = await openProtobuf()
const golden = (name: string): string =>
  readFileSync(join(packageRoot, 'test/golden/protobuf', name), 'utf8')

tests('a pod template with every field is written byte for byte as the public encoder does', () => {
  // A2.23 M-11 M-12 M-14 M-15: written by kubectl 1.33 from the JSON beside it, as the body of a Job
  const bytes = Buffer.from(golden('pod-template.txt'), 'base64')
  const value = JSON.parse(golden('pod-template.json'))
  const written = codec.encodeMessage('core/v1.PodTemplateSpec', value)
  assert.is(Buffer.compare(written, bytes), 0)
  assert.equal(codec.decodeMessage('core/v1.PodTemplateSpec', bytes), value)
})

tests('a definition with unions and JSON in it is read and written byte for byte', () => {
  const bytes = Buffer.from(golden('definition.txt'), 'base64')
  const value = JSON.parse(golden('definition.json').replaceAll('x-kubernetes-', 'x-orch-'))
  const message = 'apiextensions/v1.CustomResourceDefinition'
  assert.equal(codec.decodeObject(bytes, { kind: '', apiVersion: '' }, { message }), value)
  const written = codec.encodeObject(value, message, value)
  assert.is(Buffer.from(written).toString('base64'), bytes.toString('base64'))
})

tests('a union is the value of one member, and a boolean is written beside another one', () => {
  const props = 'apiextensions/v1.JSONSchemaProps'
  for (const [value, bytes] of [
    [{ additionalProperties: true }, 'f201020801'],
    [{ additionalProperties: false }, 'f201020800'],
    [{ items: [{ $ref: 'a' }, { $ref: 'b' }] }, undefined],
    [{ items: { $ref: 'a' } }, undefined],
    [{ dependencies: { a: ['b', 'c'], d: { $ref: 'e' } } }, undefined],
    [{ additionalItems: { additionalProperties: { $ref: 'a' } } }, undefined],
    [{ enum: [null, 1, 'a'], default: { a: [null] } }, undefined],
  ] as const) {
    const written = codec.encodeMessage(props, value)
    if (bytes !== undefined) assert.match(Buffer.from(written).toString('hex'), bytes)
    assert.equal(codec.decodeMessage(props, written), value)
  }
})

const bodies = golden('kubectl.txt')
  .trim()
  .split('\n')
  .map((line) => line.split('\t') as [command: string, bytes: string])

for (const [command, base64] of bodies) {
  const bytes = Buffer.from(base64, 'base64')
  const { kind, apiVersion } = openEnvelope(bytes)
  const type = { kind, apiVersion: apiVersion.replace('k8s.io', 'orch.io') }
  const message = codec.messageOf(type)
  if (message === undefined) continue
  tests(`the body of "${command}" is read, and written as it was`, () => {
    // A2.24 A2.25 A2.26 A2.27 A2.28
    const value = codec.decodeObject(bytes, { kind: '', apiVersion: '' }, { message })
    assert.equal([value.kind, value.apiVersion], [kind, apiVersion])
    const written = codec.encodeObject({ kind, apiVersion }, message, value)
    assert.is(Buffer.from(written).toString('hex'), bytes.toString('hex'))
  })
}

tests.run()
