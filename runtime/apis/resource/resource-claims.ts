/** The rules of ResourceClass, ResourceClaim, ResourceClaimTemplate and PodSchedulingContext. */
import { dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { invalidAll, required } from '../types/field-errors.ts'
import type { List } from '../types/shapes.ts'

interface Parameters {
  readonly kind?: string
  readonly name?: string
}

interface ClaimSpec {
  readonly resourceClassName?: string
  readonly parametersRef?: Parameters
  readonly allocationMode?: string
}

/** What the rules and cells of ResourceClaim look at. */
export interface ResourceClaim extends ApiObject {
  readonly spec?: ClaimSpec
  readonly status?: {
    readonly allocation?: object
    readonly reservedFor?: List<{ readonly uid?: string }>
    readonly deallocationRequested?: boolean
  }
}

interface ClaimTemplate extends ApiObject {
  readonly spec?: { readonly spec?: ClaimSpec }
}

interface ResourceClass extends ApiObject {
  readonly driverName?: string
  readonly parametersRef?: Parameters
}

interface SchedulingContext extends ApiObject {
  readonly spec?: { readonly selectedNode?: string; readonly potentialNodes?: List<string> }
}

/** A class names a driver. */
export const resourceClass: Strategy = {
  validate(object) {
    const { driverName = '', parametersRef } = object as ResourceClass
    return [...name('driverName', driverName), ...checkParameters('parametersRef', parametersRef)]
  },
}

/** A claim asks for something of a class. */
export const resourceClaim: Strategy = {
  validate: (object) => checkClaim('spec', (object as ResourceClaim).spec ?? {}),
}

/** A template makes claims. */
export const resourceClaimTemplate: Strategy = {
  validate: (object) => checkClaim('spec.spec', (object as ClaimTemplate).spec?.spec ?? {}),
}

const mostNodes = 128

/** A pod is considered for a bounded number of nodes. */
export const podSchedulingContext: Strategy = {
  validate(object) {
    const { potentialNodes } = (object as SchedulingContext).spec ?? {}
    const count = (potentialNodes ?? []).length
    if (count <= mostNodes) return []
    const why = `must have at most ${mostNodes} items`
    return [
      {
        path: 'spec.potentialNodes',
        reason: 'FieldValueTooMany',
        message: `Too many: ${count}: ${why}`,
      },
    ]
  },
}

function checkClaim(
  path: string,
  { resourceClassName = '', parametersRef }: ClaimSpec,
): readonly FieldError[] {
  return [
    ...name(`${path}.resourceClassName`, resourceClassName),
    ...checkParameters(`${path}.parametersRef`, parametersRef),
  ]
}

function checkParameters(path: string, given: Parameters | undefined): readonly FieldError[] {
  if (given === undefined) return []
  return [
    ...(given.kind ? [] : [required(`${path}.kind`)]),
    ...(given.name ? [] : [required(`${path}.name`)]),
  ]
}

function name(path: string, text: string): readonly FieldError[] {
  return text === '' ? [required(path)] : invalidAll(path, text, dnsSubdomainProblems(text))
}
