import type { DescribedShape } from './shape.ts'

/** The keys of a conversion, which stands in the block of the newer version. */
export const conversionShape: DescribedShape = {
  from: {
    type: 'string!',
    about: 'The group and version of the older objects.',
    example: 'example.com/v1alpha1',
  },
  steps: {
    type: 'list!',
    parts: { of: 'items', table: 'A step of a conversion' },
    about:
      'What differs, in any order; every other field is the same in both versions. A field that only one version has and no step speaks of is a finding.',
    example: '[{ rename: spec.size, to: spec.replicas }]',
  },
}

const path = 'A path has `[*]` where it goes through a list.'

/** Each step by the key that names it. */
export const stepShapes: Readonly<Record<string, DescribedShape>> = {
  rename: {
    rename: {
      type: 'string!',
      about: `The path in the older version. ${path}`,
      example: 'spec.size',
    },
    to: { type: 'string!', about: 'The path in the newer version.', example: 'spec.replicas' },
  },
  move: {
    move: {
      type: 'string!',
      about: `The path in the older version, of a field that stands elsewhere in the newer one. ${path}`,
      example: 'spec.rules[*].backend',
    },
    to: {
      type: 'string!',
      about: 'The path in the newer version, through the same lists.',
      example: 'spec.rules[*].target.name',
    },
  },
  split: {
    split: {
      type: 'string!',
      about: 'A field of the older version that may be of several JSON types.',
      example: 'spec.port',
    },
    to: {
      type: 'mapping!',
      about: 'The field of the newer version for each type.',
      example: '{ integer: spec.portNumber, string: spec.portName }',
    },
  },
  default: {
    default: {
      type: 'string!',
      about: 'A field that only the newer version has.',
      example: 'spec.policy',
    },
    value: { type: 'any!', about: 'What it is for older objects.', example: 'Retain' },
    zero: {
      type: 'string',
      about:
        'A zero in the older version means the value, too; a zero of the newer one is marked there by this annotation.',
      example: 'example.com/zero-policy',
    },
  },
  drop: {
    drop: {
      type: 'string!',
      about: 'A field that the other version does not have.',
      example: 'spec.users',
    },
    of: {
      type: 'string',
      values: ['newer', 'older'],
      about: 'The version that has it.',
      otherwise: 'older',
      example: 'newer',
    },
    annotation: {
      type: 'string',
      about:
        'Where the value is kept in the other version, so that nothing is lost on the way back.',
      example: 'example.com/v1-users',
    },
  },
  call: {
    call: {
      type: 'string!',
      about:
        'A function in `runtime/apis` that converts what no step can say. For kinds of orch itself.',
      example: 'autoscalerMetrics',
    },
  },
}
