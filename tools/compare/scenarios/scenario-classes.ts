import type { ScenarioClass } from '../scenario.ts'
import { customs } from './customs.ts'
import { definitions } from './definitions.ts'
import { documents } from './documents.ts'
import { expressions } from './expressions.ts'
import { lists } from './lists.ts'
import { metadata } from './metadata.ts'
import { objects } from './objects.ts'
import { requests } from './requests.ts'
import { sequences } from './sequences.ts'

/** All classes, in the order in which they run. */
export const scenarioClasses: readonly ScenarioClass[] = [
  documents,
  requests,
  lists,
  objects,
  metadata,
  sequences,
  customs,
  definitions,
  expressions,
]
