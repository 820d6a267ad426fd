// What every wire format promises, whichever it is: a new one is held to it as soon as it is listed.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import type { AnyKind } from '../../../runtime/kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import { createReport } from '../../../runtime/kernel/validation/field-error.ts'
import {
  createSerializers,
  type EncodedBody,
  encodeJson,
  type Serializer,
  type StoredItem,
  serializerOf,
} from '../../../runtime/serializer/serializer.ts'
import { everything, objectOf } from '../../support/full-object.ts'
import { openProtobuf } from '../../support/protobuf.ts'

const tests = suite('runtime/serializer: every format')
const { tables } = await openProtobuf()
const serializers = createSerializers(scheme)
const kinds = Object.values(scheme.routes).filter(({ proto }) => proto !== undefined)
const maps = scheme.routes['api/v1/configmaps'] as AnyKind
const pods = scheme.routes['api/v1/pods'] as AnyKind

function typeOf(kind: AnyKind) {
  return { kind: kind.kind, apiVersion: apiVersionOf(kind) }
}

function itemOf(value: object): StoredItem {
  return { bytes: encodeJson(value) }
}

function pod(name: string): StoredItem {
  return itemOf({ kind: 'Pod', apiVersion: 'v1', metadata: { name, uid: name }, spec: {} })
}

function wholeOf(body: EncodedBody): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (body.length === undefined) throw new Error('the list is in memory')
  const whole = Buffer.concat([...body.segments()])
  assert.is(whole.length, body.length, 'a segmented body has the length that it promises')
  return whole
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/** The object as its kind reads what a body says. */
async function readBack(serializer: Serializer, kind: AnyKind, bytes: Uint8Array) {
  const { value, duplicates } = await serializer.decode(bytes, { expected: typeOf(kind) })
  assert.equal(duplicates, [])
  const report = createReport()
  return { object: kind.read(value, report), report }
}

tests('the default is JSON, and no media type is of two formats', () => {
  assert.is(serializers[0]?.name, 'json')
  const types = serializers.flatMap(({ mediaTypes }) => mediaTypes)
  assert.is(new Set(types).size, types.length)
  for (const serializer of serializers) {
    for (const type of serializer.mediaTypes) {
      assert.is(type, type.toLowerCase())
      assert.is(serializerOf(serializers, type), serializer)
    }
  }
  assert.is(serializerOf(serializers, 'application/merge-patch+json')?.name, 'json')
  assert.is(serializerOf(serializers, 'text/plain'), undefined)
})

for (const serializer of serializers) {
  const { name } = serializer

  tests(`${name}: an object of any kind comes back as it was`, async () => {
    for (const kind of kinds) {
      assert.ok(serializer.supports(kind), kind.kind)
      const value = { ...typeOf(kind), ...objectOf(tables, kind.proto as string, everything) }
      const bytes = await serializer.encodeItem(itemOf(value), { kind })
      const expected = createReport()
      const { object, report } = await readBack(serializer, kind, bytes)
      assert.equal(report.typeErrors, [], kind.kind)
      assert.equal(object, kind.read(value, expected), `${name} ${kind.kind}`)
    }
  })

  tests(`${name}: a list of any length has the length that it promises`, async () => {
    for (const length of [0, 1, 2000]) {
      const items = Array.from({ length }, (_, at) => pod(`p${at}`))
      for (const partial of [undefined, 'meta.orch.io/v1']) {
        const body = await serializer.encodeList({ items }, {}, { kind: pods, partial })
        assert.ok(wholeOf(body).length > 0)
      }
    }
  })

  tests(`${name}: a list that is read in parts is the same as one in memory`, async () => {
    for (const length of [0, 5]) {
      const items = Array.from({ length }, (_, at) => pod(`p${at}`))
      async function* parts() {
        for (const [from, end] of [
          [0, 2],
          [2, 2],
          [2, 5],
        ])
          yield items.slice(from, end)
      }
      for (const partial of [undefined, 'meta.orch.io/v1']) {
        for (const pretty of [false, true]) {
          const form = { kind: pods, partial, pretty }
          const metadata = { resourceVersion: '7' }
          const whole = wholeOf(await serializer.encodeList({ items }, metadata, form))
          const read = { items: items.slice(0, 2), parts }
          const body = await serializer.encodeList(read, metadata, form)
          if (body.length !== undefined) assert.unreachable('the length is not known before')
          else assert.equal(await joined(body.pieces()), Buffer.from(whole))
        }
      }
    }
  })

  tests(`${name}: metadata alone is a PartialObjectMetadata of the version wanted`, async () => {
    const form = { kind: pods, partial: 'meta.orch.io/v1' }
    const bytes = await serializer.encodeItem(pod('a'), form)
    const expected = { kind: '', apiVersion: '' }
    const { value } = await serializer.decode(bytes, { expected })
    const { kind, apiVersion, metadata, spec } = value as Record<string, unknown>
    assert.equal([kind, apiVersion, spec], ['PartialObjectMetadata', 'meta.orch.io/v1', undefined])
    assert.is((metadata as { name: string }).name, 'a')
  })

  tests(`${name}: a Status is a document that comes back as it was`, async () => {
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 404 }
    const bytes = await serializer.encodeDocument(JSON.stringify(status))
    const { value } = await serializer.decode(bytes, { expected: status, anyVersion: true })
    const { kind, apiVersion, code } = value as Record<string, unknown>
    assert.equal({ kind, apiVersion, code }, { kind: 'Status', apiVersion: 'v1', code: 404 })
  })

  tests(`${name}: bytes that are none of its bodies are a BadRequest`, async () => {
    try {
      await serializer.decode(Buffer.from('{"a": ['), { expected: typeOf(pods) })
      assert.unreachable('decoded')
    } catch (error) {
      assert.is((error as { reason?: string }).reason, 'BadRequest')
    }
  })

  tests(`${name}: a body that holds too much is refused by its size`, async () => {
    const entries = Array.from({ length: 300 }, (_, at) => [`key-${at}`, 'x'.repeat(40)])
    const value = {
      ...typeOf(maps),
      metadata: { name: 'a', uid: 'a' },
      data: Object.fromEntries(entries),
    }
    const bytes = await serializer.encodeItem(itemOf(value), { kind: maps })
    const limits = { depth: 10, values: 1000, keys: 100, items: 1000 }
    try {
      await serializer.decode(bytes, { limits, expected: typeOf(maps) })
      assert.unreachable('decoded')
    } catch (error) {
      assert.is((error as { reason?: string }).reason, 'RequestEntityTooLarge')
    }
  })
}

for (const serializer of serializers.filter(({ carriesTables }) => carriesTables)) {
  tests(
    `${serializer.name}: a list has its items in order and the metadata of the list`,
    async () => {
      const items = Array.from({ length: 3 }, (_, at) => pod(`p${at}`))
      const form = { kind: pods }
      const body = await serializer.encodeList({ items }, { resourceVersion: '7' }, form)
      const expected = { kind: 'PodList', apiVersion: 'v1' }
      const { value } = await serializer.decode(wholeOf(body), { expected })
      const list = value as unknown as {
        metadata: { resourceVersion: string }
        items: { metadata: { name: string } }[]
      }
      assert.is(list.metadata.resourceVersion, '7')
      assert.equal(
        list.items.map(({ metadata }) => metadata.name),
        ['p0', 'p1', 'p2'],
      )
    },
  )
}

for (const serializer of serializers.filter((each) => each.streamParameter !== undefined)) {
  tests(`${serializer.name}: events of a stored object are the same for every watch`, async () => {
    const [first, second] = await Promise.all([
      serializer.eventEncoder({ kind: pods }),
      serializer.eventEncoder({ kind: pods }),
    ])
    const item = pod('a')
    const bytes = Buffer.from(first.encodeEvent('ADDED', item))
    assert.ok(bytes.length > 0)
    assert.ok(bytes.equals(Buffer.from(second.encodeEvent('ADDED', item))))
    assert.not.ok(bytes.equals(Buffer.from(first.encodeEvent('DELETED', item))))
  })
}

tests.run()
