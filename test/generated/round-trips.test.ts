/** A full and an empty object of every kind, in every form: a new kind is in here without a line being written. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { scheme } from '../../generated/scheme.ts'
import type { AnyKind } from '../../runtime/kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../runtime/kernel/meta/object.ts'
import type { Json } from '../../runtime/kernel/values/json.ts'
import {
  decodeJson,
  decodeYaml,
  encodeJson,
  readObject,
} from '../../runtime/serializer/serializer.ts'
import { everything, objectOf } from '../support/full-object.ts'
import { openProtobuf } from '../support/protobuf.ts'

const test = suite('generated: round trips')

const { tables, codec } = await openProtobuf()
const kinds = Object.values(scheme.routes)
const binary = kinds.filter(({ proto }) => proto !== undefined)

const textOf = (kind: AnyKind, value: Json): string =>
  Buffer.from(encodeJson(readObject(kind, value).object)).toString()

/** Protobuf has no word for an empty list: it is read as one that is not there. */
const unlisted = (text: string): string => text.replaceAll(/:(\[\]|\{\})/g, ':null')

/** The fields that a kind's message has, each once; kinds without a message have none to tell of. */
function samplesOf(kind: AnyKind): readonly (readonly [name: string, value: Json])[] {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind }
  const full = kind.proto === undefined ? {} : objectOf(tables, kind.proto, everything)
  return [
    ['empty', { ...type, metadata: {} } as unknown as Json],
    ['full', { ...full, ...type } as unknown as Json],
  ]
}

for (const kind of kinds) {
  for (const [name, value] of samplesOf(kind)) {
    const subject = `${kind.kind} of ${apiVersionOf(kind)}, ${name}`

    test(`${subject}, is the same from JSON, from YAML and from its own text`, async () => {
      // A1.6
      const text = textOf(kind, value)
      assert.is(textOf(kind, decodeJson(JSON.stringify(value)).value), text)
      assert.is(textOf(kind, (await decodeYaml(stringify(value))).value), text)
      assert.is(textOf(kind, decodeJson(text).value), text, 'reading what was written')
    })
  }
}

for (const kind of binary) {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind }
  const message = kind.proto as string
  for (const [name, value] of samplesOf(kind)) {
    test(`${kind.kind} of ${type.apiVersion}, ${name}, is the same from protobuf`, () => {
      // A4.47 A9.2
      const { object } = readObject(kind, value)
      const bytes = codec.encodeObject(type, message, object as never)
      const decoded = codec.decodeObject(bytes, type)
      assert.is(unlisted(textOf(kind, decoded as Json)), unlisted(textOf(kind, value)))
      assert.equal(codec.encodeObject(type, message, decoded as never), bytes)
    })
  }
}

test.run()
