/** Definitions in which now and then something beside the schema is odd. */
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { Random } from '../random.ts'

/** The parts of a version beside its schema. */
export function randomVersionParts(random: Random): JsonObject {
  return {
    ...kept(random, 0.4, () => ({ subresources: random.pick(subresources) })),
    ...kept(random, 0.25, () => ({
      additionalPrinterColumns: Array.from({ length: 1 + random.below(3) }, () => column(random)),
    })),
    ...kept(random, 0.1, () => ({
      deprecated: random.chance(0.5),
      deprecationWarning: random.pick(['', 'old', 'x'.repeat(257), 'a\tb', 'two\nlines']),
    })),
    ...kept(random, 0.02, () => ({ selectableFields: [{ jsonPath: '.spec.a' }] })),
  }
}

/** Changes of a definition's spec; mostly none. */
export function randomSpecParts(random: Random, name: string): JsonObject {
  return {
    ...kept(random, 0.04, () => ({ preserveUnknownFields: random.chance(0.5) })),
    ...kept(random, 0.03, () => ({ scope: random.pick(['Cluster', 'namespaced', 'Namespaced']) })),
    ...kept(random, 0.05, () => ({ conversion: random.pick(conversions) })),
    ...kept(random, 0.08, () => ({ names: oddNames(random, name) })),
  }
}

function kept(random: Random, share: number, entry: () => JsonObject): JsonObject {
  return random.chance(share) ? entry() : {}
}

const subresources: readonly JsonObject[] = [
  { status: {} },
  { status: {} },
  {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  },
  {
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  { scale: { specReplicasPath: 'spec.x', statusReplicasPath: '.status.a[0]' } },
  { scale: { specReplicasPath: '.spec', statusReplicasPath: '.metadata.x' } },
  { scale: { specReplicasPath: '', statusReplicasPath: '.status.x', labelSelectorPath: '.a' } },
  {},
]

function column(random: Random): JsonObject {
  return {
    name: random.pick(['A', 'B', '', 'Age']),
    type: random.pick(['string', 'date', 'integer', 'number', 'boolean', 'x', '']),
    jsonPath: random.pick([
      '.spec.a',
      'spec.a',
      '.spec[',
      '.spec.b[*].a',
      '.spec["a"]',
      '{.spec.a}',
      '.metadata.creationTimestamp',
      '',
      '.spec[?(@.a=="b")].c',
    ]),
    ...kept(random, 0.2, () => ({ format: random.pick(['int32', 'date', 'x', 'password']) })),
    ...kept(random, 0.2, () => ({ priority: random.pick<Json>([0, 1, -1]) })),
    ...kept(random, 0.1, () => ({ description: 'what it shows' })),
  }
}

const service = { namespace: 'default', name: 'converter', path: '/convert' }

const conversions: readonly JsonObject[] = [
  { strategy: 'None' },
  { strategy: 'Webhook' },
  { strategy: 'Other' },
  { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } },
  {
    strategy: 'Webhook',
    webhook: { clientConfig: { service }, conversionReviewVersions: ['v1', 'v1beta1'] },
  },
  {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { service: { ...service, port: 0 }, url: 'https://a.example.com' },
      conversionReviewVersions: ['v1'],
    },
  },
  {
    strategy: 'Webhook',
    webhook: { clientConfig: { url: 'http://a.example.com' }, conversionReviewVersions: ['v2'] },
  },
  {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { url: 'https://u:p@a.example.com/?a#b' },
      conversionReviewVersions: ['v1', 'v1', 'V_1'],
    },
  },
  { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: [] } },
]

function oddNames(random: Random, name: string): JsonObject {
  return {
    plural: random.pick([`${name}s`, `${name}s`, 'Other', '']),
    singular: random.pick([name, 'A_B', '']),
    kind: random.pick(['Kind', 'kind name', '', 'K1']),
    listKind: random.pick(['KindList', 'Kind', '']),
    ...kept(random, 0.5, () => ({ shortNames: random.pick<Json>([['a'], ['A', 'a b'], []]) })),
    ...kept(random, 0.5, () => ({ categories: random.pick<Json>([['all'], ['All'], ['a.b']]) })),
  }
}
