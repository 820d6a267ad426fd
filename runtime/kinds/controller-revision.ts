/** The rules of ControllerRevision. */
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { invalid, required } from './findings.ts'
import type { Rule } from './kinds.ts'

interface ControllerRevision extends ApiObject {
  readonly data?: object | null
  readonly revision?: number
}

/** A revision holds a state and has a number (supplement I-25). */
export const controllerRevision: Rule = {
  validate(object): readonly Finding[] {
    const { data, revision = 0 } = object as ControllerRevision
    const least = 'must be greater than or equal to 0'
    return [
      ...(data ? [] : [required('data', 'data is mandatory')]),
      ...(revision < 0 ? [invalid('revision', revision, least)] : []),
    ]
  },
}
