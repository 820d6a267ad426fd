import type { DescribedShape } from './shape.ts'

const beside = 'The field beside the name'

/** The keys of a row of `x-orch-references`, in the order in which they are written. */
export const referenceShape: DescribedShape = {
  field: {
    type: 'string!',
    about: 'The path of the name, with `[]` where it goes through a list.',
    example: 'tls[].secretName',
  },
  kind: {
    type: 'string',
    about: 'The kind of what is named. Where a field has it, `kindField` says which.',
    example: 'Secret',
  },
  kindField: { type: 'string', about: `${beside} that has the kind.`, example: 'kind' },
  group: {
    type: 'string',
    about: 'The group of the kind.',
    otherwise: 'the core group',
    example: 'storage.k8s.io',
  },
  groupField: {
    type: 'string',
    about: `${beside} that has the group of the kind, or its group and version. Where it is absent, the kind is of any group.`,
    example: 'apiGroup',
  },
  namespaceField: {
    type: 'string',
    about: `${beside} that has the namespace.`,
    otherwise: 'that of the object',
    example: 'namespace',
  },
  keys: {
    type: 'string',
    about: 'The path, beside the name, of keys that the `data` of the named object has.',
    example: 'items[].key',
  },
  only: {
    type: 'string',
    about: 'The only kind in `kindField` that names an object.',
    example: 'ServiceAccount',
  },
  always: {
    type: 'strings',
    about: 'Names that are always there. A `*` at the end of one is the rest of a name.',
    example: '[default]',
  },
}
