/** The rules of ResourceClass, ResourceClaim, ResourceClaimTemplate and PodSchedulingContext. */
import { dnsSubdomainProblems } from '../kernel/names.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { problems, required } from './findings.ts'
import type { Rule } from './kinds.ts'
import type { List } from './shapes.ts'

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
export const resourceClass: Rule = {
  validate(object) {
    const { driverName = '', parametersRef } = object as ResourceClass
    return [...name('driverName', driverName), ...checkParameters('parametersRef', parametersRef)]
  },
}

/** A claim asks for something of a class. */
export const resourceClaim: Rule = {
  validate: (object) => checkClaim('spec', (object as ResourceClaim).spec ?? {}),
}

/** A template makes claims. */
export const resourceClaimTemplate: Rule = {
  validate: (object) => checkClaim('spec.spec', (object as ClaimTemplate).spec?.spec ?? {}),
}

const mostNodes = 128

/** A pod is considered for a bounded number of nodes. */
export const podSchedulingContext: Rule = {
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
): readonly Finding[] {
  return [
    ...name(`${path}.resourceClassName`, resourceClassName),
    ...checkParameters(`${path}.parametersRef`, parametersRef),
  ]
}

function checkParameters(path: string, given: Parameters | undefined): readonly Finding[] {
  if (given === undefined) return []
  return [
    ...(given.kind ? [] : [required(`${path}.kind`)]),
    ...(given.name ? [] : [required(`${path}.name`)]),
  ]
}

function name(path: string, text: string): readonly Finding[] {
  return text === '' ? [required(path)] : problems(path, text, dnsSubdomainProblems(text))
}
