import { allVerbs, cellFormats, errorPasses } from '../../../runtime/kernel/descriptors/kind.ts'
import type { NameFormat } from '../../../runtime/kernel/meta/names.ts'
import type { DescribedShape } from './shape.ts'

/** The forms of names. */
export const nameFormats: readonly NameFormat[] = [
  'dns-1035-label',
  'dns-label',
  'dns-subdomain',
  'path-segment',
]

/** Whether objects of a kind live in a namespace. */
export const scopes = ['Cluster', 'Namespaced'] as const

/** What the answer to a deletion shows. */
export const deletedBodies = ['Object', 'Status'] as const

/** What becomes of dependents. */
export const dependentsPolicies = ['Background', 'None', 'Orphan'] as const

/** The types of columns. */
export const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'] as const

/** The keys of `x-orch-kind`. All may be left out; a block without `plural` makes the body of a subresource. */
export const kindShape: DescribedShape = {
  plural: {
    type: 'string',
    about: 'The name of the resource in paths and commands. With it the kind is served.',
    example: 'websites',
  },
  singular: {
    type: 'string',
    about: 'The name of one object in commands.',
    otherwise: 'the kind in lower case',
    example: 'website',
  },
  shortNames: { type: 'strings', about: 'Further names in commands.', example: '[site]' },
  categories: {
    type: 'strings',
    about: 'Names under which commands list several resources at once, such as `all`.',
    example: '[all]',
  },
  scope: {
    type: 'string',
    values: scopes,
    about: 'Whether objects live in a namespace.',
    otherwise: 'Namespaced',
    example: 'Cluster',
  },
  verbs: {
    type: 'strings',
    values: allVerbs,
    about: 'What may be done with objects. An empty list is no verb at all.',
    otherwise: 'all of them',
    example: '[create, delete, get, list, watch]',
  },
  subresources: {
    type: 'mapping',
    parts: { of: 'values', table: 'A subresource' },
    about:
      'Parts of the object with a path and rights of their own, by name. `status: {}` is the usual one.',
    example: '{ status: {} }',
  },
  columns: {
    type: 'list',
    parts: { of: 'items', table: 'A column' },
    about: 'What `kubectl get` shows.',
    otherwise: 'name and age',
    example: '[{ name: Title, type: string, cell: .spec.title }]',
  },
  nameFormat: {
    type: 'string',
    values: nameFormats,
    about: 'What names of objects look like.',
    otherwise: 'dns-subdomain',
    example: 'dns-1035-label',
  },
  immutable: {
    type: 'strings',
    about: 'Paths of fields that an update may not change.',
    example: '[spec.className]',
  },
  selectableFields: {
    type: 'mapping',
    about:
      'Field selectors beside `metadata.name` and `metadata.namespace`, each with the path that it reads.',
    example: '{ spec.nodeName: spec.nodeName }',
  },
  conversion: {
    type: 'mapping',
    parts: { of: 'itself', table: 'A conversion' },
    about:
      'How objects of an older version become objects of this one, and back. It stands in the newer version.',
    example: '{ from: example.com/v1alpha1, steps: [{ rename: spec.size, to: spec.replicas }] }',
  },
  storedAs: {
    type: 'string',
    about: 'The version that objects of this version are stored in.',
    otherwise: 'objects are stored in this version',
    example: 'v1',
  },
  generation: {
    type: 'boolean',
    about: 'Whether `metadata.generation` counts changes of more than metadata and status.',
    otherwise: 'true for a kind with a `spec`',
    example: 'false',
  },
  generationCounts: {
    type: 'strings',
    about: 'The paths whose changes it counts, in place of all but metadata and status.',
    example: '[spec.template]',
  },
  createOnUpdate: {
    type: 'boolean',
    about: 'Whether an update of an object that is not there creates it.',
    otherwise: 'false',
    example: 'true',
  },
  unconditionalUpdate: {
    type: 'boolean',
    about: 'Whether an update without a resourceVersion overwrites.',
    otherwise: 'true',
    example: 'false',
  },
  deleteReturns: {
    type: 'string',
    values: deletedBodies,
    about: 'What the answer to a deletion shows.',
    otherwise: 'Status',
    example: 'Object',
  },
  dependents: {
    type: 'string',
    values: dependentsPolicies,
    about: 'What becomes of dependents where a deletion does not say it.',
    otherwise: 'Background',
    example: 'Orphan',
  },
  deleteWarning: {
    type: 'string',
    about: 'The warning for a deletion that does not say what becomes of dependents.',
    example: '"dependents stay: give propagationPolicy"',
  },
  deprecated: {
    type: 'string',
    about: 'The release that deprecated the version. Clients are warned.',
    example: '"1.19"',
  },
  statusOnCreate: {
    type: 'boolean',
    about:
      'Whether a new object keeps the status that it is created with, although `status` is a subresource.',
    otherwise: 'false',
    example: 'true',
  },
  anyFinalizer: {
    type: 'boolean',
    about: 'Whether a finalizer without a domain may be one that the platform does not know.',
    otherwise: 'false',
    example: 'true',
  },
  ttlSeconds: {
    type: 'integer',
    about: 'Seconds after its last write when an object goes away.',
    otherwise: 'it stays',
    example: '3600',
  },
  applyReset: {
    type: 'mapping',
    about:
      'Paths that a write through a subresource leaves as they are, by its name; `main` is the object itself.',
    example: '{ main: [status] }',
  },
  strategies: {
    type: 'strings',
    about:
      'Names of strategies in `runtime/apis`: what a schema cannot say about the kind. For kinds of orch itself.',
    example: '[pod]',
  },
  passes: {
    type: 'mapping',
    about: `The passes in which errors of a write are told, by \`create\`, \`update\` or a subresource: ${errorPasses.join(', ')}.`,
    example: '{ update: [metadata, whole] }',
  },
  capabilities: {
    type: 'string',
    about:
      'A behaviour without which the kind means nothing: a server that lacks it does not serve the kind.',
    example: 'admission-policies',
  },
  forwardsTo: {
    type: 'string',
    about:
      'The subresource that creating an object of this kind calls, as `<plural>/<subresource>`. Nothing is stored.',
    example: 'pods/binding',
  },
  review: {
    type: 'string',
    about:
      'The function in `runtime/apis` that answers a creation with the object and its status. Nothing is stored.',
    example: 'subjectAccessReview',
  },
  allocator: {
    type: 'string',
    about:
      'The allocator in `runtime/apis` that gives addresses or ports of shared ranges to objects of the kind.',
    example: 'service',
  },
  hashedAs: {
    type: 'string',
    about: 'The group version that the storage version hash in discovery is made of.',
    otherwise: 'the one that is stored',
    example: 'extensions/v1beta1',
  },
}

/** The keys of a subresource. */
export const subresourceShape: DescribedShape = {
  kind: {
    type: 'string',
    about: 'The kind of its bodies.',
    otherwise: 'the object itself',
    example: 'Scale',
  },
  apiVersion: {
    type: 'string',
    about: 'The group version of its bodies.',
    otherwise: 'that of the object',
    example: 'autoscaling/v1',
  },
  verbs: {
    type: 'strings',
    values: allVerbs,
    about: 'What may be done with it.',
    otherwise: 'get, patch and update',
    example: '[get]',
  },
  writes: {
    type: 'strings',
    about: 'The only fields of the object that it changes.',
    example: '[status, metadata.finalizers]',
  },
  specReplicasPath: {
    type: 'string',
    about: 'Of a Scale: where the wanted number stands.',
    otherwise: 'spec.replicas',
    example: 'spec.servers',
  },
  statusReplicasPath: {
    type: 'string',
    about: 'Of a Scale: where the number there is stands.',
    otherwise: 'status.replicas',
    example: 'status.readyServers',
  },
  labelSelectorPath: {
    type: 'string',
    about: 'Of a Scale: where the selector of its pods stands.',
    otherwise: 'spec.selector',
    example: 'status.selector',
  },
  action: {
    type: 'string',
    about:
      'The function in `runtime/apis` that answers, for a subresource that is no part of the object.',
    example: 'eviction',
  },
  connect: {
    type: 'string',
    about:
      'The kind whose fields are the query of a request that is passed on, for a subresource that another server answers.',
    example: 'PodExecOptions',
  },
}

/** The keys of a column. */
export const columnShape: DescribedShape = {
  name: { type: 'string!', about: 'What stands above it.', example: 'Title' },
  type: {
    type: 'string!',
    values: columnTypes,
    about: 'The type of its cells.',
    example: 'string',
  },
  format: {
    type: 'string',
    about: 'What clients make of the type; `name` marks the column that names the object.',
    example: 'name',
  },
  description: { type: 'string', about: 'What it shows.', example: 'What visitors read on top.' },
  priority: {
    type: 'integer',
    about: 'Above 0 it is shown on demand only (`-o wide`).',
    otherwise: '0',
    example: '1',
  },
  cell: {
    type: 'string!',
    about:
      'What it shows: a path from the object that begins with a dot; a JSON path that begins with `$`; or a function by its name, of which `age` is the time since the object was created.',
    example: '.status.phase',
  },
  show: {
    type: 'string',
    values: cellFormats,
    about:
      'How the value at the path is shown: the time since then, names or images of containers, the number of entries, labels or a selector as they are typed, items with commas, or any value as text.',
    example: 'count',
  },
  absent: {
    type: 'any',
    about: 'What is shown where the path leads nowhere.',
    otherwise: 'nothing',
    example: '<none>',
  },
}
