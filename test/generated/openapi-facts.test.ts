/**
 * What public clients read of the documents, under the public names: how many paths and schemas there are, and a digest of
 * operations and schemas without descriptions, bounds, rules and declared defaults. Where a digest differs after a change, what
 * changed is seen by comparing the documents with those of a server of release 1.29.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { scheme as ownScheme } from '../../generated/scheme.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import { compiledScheme } from '../../tools/orch/compiled-scheme.ts'

const facts = suite('generated: what public clients read of documents')

/** By key: paths, schemas, digest. */
const golden: Readonly<Record<string, readonly [paths: number, schemas: number, digest: string]>> =
  {
    'api/v1': [102, 230, '9f73f79511ed'],
    'apis/admissionregistration.k8s.io/v1': [9, 28, '2a232e50cf53'],
    'apis/admissionregistration.k8s.io/v1alpha1': [10, 36, '10636f22ec3d'],
    'apis/admissionregistration.k8s.io/v1beta1': [10, 36, 'bccc02dff0e7'],
    'apis/apiextensions.k8s.io/v1': [6, 39, '84b6f082d55b'],
    'apis/apiregistration.k8s.io/v1': [6, 22, '335abe1dbf0f'],
    'apis/apps/v1': [38, 156, '2bead8f07ce0'],
    'apis/authentication.k8s.io/v1': [3, 13, 'a8875bdf882d'],
    'apis/authentication.k8s.io/v1alpha1': [2, 10, 'f315744278f6'],
    'apis/authentication.k8s.io/v1beta1': [2, 10, '327f21f6d55d'],
    'apis/authorization.k8s.io/v1': [5, 20, '885082aa6a94'],
    'apis/autoscaling/v1': [8, 21, '96ac015c87b6'],
    'apis/autoscaling/v2': [8, 43, '74dc9e72080f'],
    'apis/batch/v1': [15, 135, 'fce94e694244'],
    'apis/certificates.k8s.io/v1': [7, 21, '638bcc489c44'],
    'apis/certificates.k8s.io/v1alpha1': [5, 19, '9628ebf06ef1'],
    'apis/coordination.k8s.io/v1': [7, 20, '9c718799670e'],
    'apis/discovery.k8s.io/v1': [7, 24, '6761017fb343'],
    'apis/events.k8s.io/v1': [7, 22, '586f02e97303'],
    'apis/flowcontrol.apiserver.k8s.io/v1': [11, 39, 'd3f7af618d18'],
    'apis/flowcontrol.apiserver.k8s.io/v1beta3': [11, 39, '10f88e2c9470'],
    'apis/internal.apiserver.k8s.io/v1alpha1': [6, 22, 'b238e7a431a1'],
    'apis/networking.k8s.io/v1': [18, 46, '058737006d0d'],
    'apis/networking.k8s.io/v1alpha1': [10, 25, '996b147245ab'],
    'apis/node.k8s.io/v1': [5, 22, '91c163a67de9'],
    'apis/policy/v1': [8, 24, '8b3282a6c120'],
    'apis/rbac.authorization.k8s.io/v1': [21, 30, '0e38298a3af5'],
    'apis/resource.k8s.io/v1alpha2': [25, 38, '5b5bdf036c9b'],
    'apis/scheduling.k8s.io/v1': [5, 18, '1d6bdcf01a44'],
    'apis/storage.k8s.io/v1': [24, 69, 'f5393da993b4'],
    'apis/storage.k8s.io/v1alpha1': [5, 18, '8bc0f1828dc7'],
  }

type Node = Readonly<Record<string, unknown>>

interface Document {
  readonly paths: Readonly<Record<string, Node>>
  readonly components: { readonly schemas: Readonly<Record<string, Node>> }
}

/** Words that documents of the release do not have here, and those that are in our own words. */
const left =
  /^(description|minimum|maximum|exclusive.*|minLength|maxLength|pattern|minItems|maxItems|default|x-.*-validations)$/

/** A value in one order of keys; a reference in an allOf is the reference, and what is left out is not there. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const node = value as Node
  const [only, ...more] = Array.isArray(node.allOf) ? (node.allOf as Node[]) : []
  const same = only !== undefined && more.length === 0 ? only : {}
  const { allOf: _, ...rest } = { ...node, ...same }
  const kept = Object.entries(rest).filter(([word]) => !left.test(word))
  return Object.fromEntries(
    kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([word, one]) => [word, plain(one)]),
  )
}

/** Properties of a schema may have the names of words that are left out elsewhere. */
function schemaFacts(schema: Node): unknown {
  const { properties = {}, ...rest } = schema as { readonly properties?: Node }
  const fields = Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1))
  return [plain(rest), fields.map(([name, one]) => [name, plain(one)])]
}

function factsOf({ paths, components: { schemas } }: Document): readonly [number, number, string] {
  const told = [
    Object.entries(paths)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, item]) => [path, plain(item)]),
    Object.entries(schemas)
      .filter(([name]) => !/\.(DeleteOptions|WatchEvent|Status)$/.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, schemaFacts(one)]),
  ]
  const digest = createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 12)
  return [Object.keys(paths).length, Object.keys(schemas).length, digest]
}

const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
const scheme = await compiledScheme({ platform }, assert.unreachable)
const documents = Object.entries((await scheme?.openapi()) ?? {})

facts(
  'operations and schemas of each group version are those of the release (S-12 to S-14)',
  () => {
    const found = documents.map(([key, text]) => [key, factsOf(JSON.parse(text))])
    assert.equal(Object.fromEntries(found), golden)
  },
)

facts('groups end in one domain here, and as ever under the public names (D-19)', () => {
  const groupsOf = (routes: Scheme['routes'] = {}) =>
    [...new Set(Object.values(routes).map(({ group }) => group))].sort()
  assert.equal([ownScheme.platform.api, ownScheme.platform.domain], ['orch.io', 'orch.io'])
  assert.equal([scheme?.platform.api, scheme?.platform.domain], ['k8s.io', 'kubernetes.io'])
  const renamed = groupsOf(scheme?.routes).map((group) => group.replace(/\.k8s\.io$/, '.orch.io'))
  assert.equal(renamed.sort(), groupsOf(ownScheme.routes))
  assert.ok(renamed.includes('coordination.orch.io'))
})

facts.run()
