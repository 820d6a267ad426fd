import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { platform } from '../../../../generated/platform.ts'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import { createSerializers } from '../../../../runtime/serializer/serializer.ts'
import { negotiate, offers } from '../../../../runtime/server/negotiation/media-types.ts'

const test = suite('runtime/server: media types')

const serializers = createSerializers({ platform })
const groups = ['meta.orch.io', 'meta.k8s.io']

/** What a client gets: `json`, `yaml Table meta.orch.io/v1`, or the text of the refusal. */
function got(accept: string | undefined, offer: keyof typeof offers): string {
  try {
    const media = negotiate(accept, offers[offer], serializers, groups)
    const { serializer, as, apiVersion } = media
    return [serializer.name, as, apiVersion].filter(Boolean).join(' ')
  } catch (error) {
    assert.ok(isStatus(error, 'NotAcceptable'))
    return error.message
  }
}

const kubectl =
  'application/json;as=Table;v=v1;g=meta.orch.io,application/json;as=Table;v=v1beta1;g=meta.orch.io,application/json'
const only = 'only the following media types are accepted: application/json, application/yaml'
const partial = 'application/json;as=PartialObjectMetadata;g=meta.orch.io;v=v1'

// A4.46-A4.51, A7.2, M-01 to M-04, V-07
const cases: readonly (readonly [string, string | undefined, keyof typeof offers, string])[] = [
  ['no Accept is JSON', undefined, 'item', 'json'],
  ['an empty Accept is JSON', '', 'item', 'json'],
  ['anything is JSON', '*/*', 'list', 'json'],
  ['any application type is JSON', 'text/html, application/*;q=0.8', 'item', 'json'],
  ['YAML is offered', 'application/yaml', 'item', 'yaml'],
  ['the higher quality wins', 'application/json;q=0.5, application/yaml', 'item', 'yaml'],
  ['of equal quality the first wins', 'application/yaml, application/json', 'item', 'yaml'],
  ['quality zero is the last resort', 'application/json;q=0, application/yaml', 'item', 'yaml'],
  ['quality zero alone is taken', 'application/yaml;q=0', 'item', 'yaml'],
  ['a table of the first version named', kubectl, 'list', 'json Table meta.orch.io/v1'],
  [
    'parameters in any order',
    'application/json;g=meta.orch.io;v=v1beta1;as=Table',
    'item',
    'json Table meta.orch.io/v1beta1',
  ],
  ['metadata only', partial, 'item', 'json PartialObjectMetadata meta.orch.io/v1'],
  ['metadata only on a watch', partial, 'watch', 'json PartialObjectMetadata meta.orch.io/v1'],
  [
    'an unknown conversion is passed over',
    'application/json;as=Chart;g=meta.orch.io;v=v1, application/yaml',
    'item',
    'yaml',
  ],
  [
    'a public client asks under the name it knows, and is answered under it',
    'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
    'list',
    'json Table meta.k8s.io/v1',
  ],
  [
    'metadata only under the public name',
    partial.replace('orch.io', 'k8s.io'),
    'item',
    'json PartialObjectMetadata meta.k8s.io/v1',
  ],
  [
    'a foreign group is passed over',
    'application/json;as=Table;g=meta.example.io;v=v1, application/json',
    'list',
    'json',
  ],
  [
    'a version that conversions are not written in is passed over',
    'application/json;as=Table;g=meta.orch.io;v=v2, application/json',
    'list',
    'json',
  ],
  [
    'Table alone in an unknown version is refused',
    'application/json;as=Table;g=meta.orch.io;v=v2',
    'list',
    only,
  ],
  ['Protobuf falls back to JSON', 'application/vnd.orch.protobuf,application/json', 'item', 'json'],
  ['Protobuf alone is refused', 'application/vnd.orch.protobuf', 'item', only],
  [
    'the item form on a list is refused',
    partial,
    'list',
    'only the following media types are accepted when converting to meta.orch.io/v1, Kind=PartialObjectMetadata: application/json, application/yaml',
  ],
  [
    'a table alone is refused where the kind has none',
    'application/json;as=Table;g=meta.orch.io;v=v1',
    'withoutTable',
    only,
  ],
  ['a table is passed over where the kind has none', kubectl, 'withoutTable', 'json'],
  [
    'metadata of an object without a table',
    partial,
    'withoutTable',
    'json PartialObjectMetadata meta.orch.io/v1',
  ],
  ['YAML on a watch is known, though not streamed', 'application/yaml', 'watch', 'yaml'],
]

for (const [fact, accept, offer, want] of cases) {
  test(fact, () => assert.is(got(accept, offer), want))
}

test.run()
