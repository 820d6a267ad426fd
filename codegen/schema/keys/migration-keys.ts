import type { Shape } from './shape.ts'

/** The steps of a removed version, each by the key that names it. */
export const migrationShapes: Readonly<Record<string, Shape>> = {
  rename: { rename: 'string!', to: 'string!', kind: 'string' },
  move: { move: 'string!', to: 'string!', kind: 'string' },
  split: { split: 'string!', to: 'mapping!', kind: 'string' },
  default: { default: 'string!', value: 'any!', kind: 'string' },
  refuse: { refuse: 'string!', when: 'string!', why: 'string!', kind: 'string' },
}
