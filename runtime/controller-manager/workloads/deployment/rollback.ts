import type { Deployment } from '../../../../generated/apis/apps/v1/deployment.ts'
import type { ReplicaSet } from '../../../../generated/apis/apps/v1/replica-set.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import type { EventFacts } from '../../../recorder/recorder.ts'
import {
  nextRevision,
  numberIn,
  type RevisionKeys,
  revisionOf,
  rollbackKey,
  sharedAnnotations,
} from './revisions.ts'
import { isSameTemplate, withoutHash } from './template-hash.ts'

/** A deployment, and its own sets. */
export interface ObservedRevisions {
  readonly deployment: Stored<Deployment>
  readonly sets: readonly Stored<ReplicaSet>[]
  readonly keys: RevisionKeys
}

/** What becomes of a deployment that was asked to go back, and what is told of it. */
export interface Rollback {
  /** As it is to be written: it is not asked any more. */
  readonly deployment: Stored<Deployment>
  readonly event: EventFacts
}

/**
 * How a deployment goes back to the revision that its annotation asks for, 0 being the last one; undefined where none does, while it is
 * paused, and when it goes.
 */
export function decideRollback({
  deployment,
  sets,
  keys,
}: ObservedRevisions): Rollback | undefined {
  const { metadata, spec } = deployment
  const { [rollbackKey]: asked, ...annotations } = metadata.annotations ?? {}
  const wanted = numberIn(asked)
  if (wanted === undefined || spec === undefined || spec.paused) return undefined
  if (metadata.deletionTimestamp !== undefined) return undefined
  const answered = { ...deployment, metadata: { ...metadata, annotations } }
  const warned = (reason: string, message: string): Rollback => ({
    deployment: answered,
    event: { type: 'Warning', reason: `DeploymentRollback${reason}`, message },
  })
  const revisions = revisionsOf({ deployment, sets, keys })
  const revision = wanted === 0 ? lastOf(revisions) : wanted
  if (revision === 0) return warned('RevisionNotFound', 'Unable to find last revision.')
  const found = revisions.find((one) => one.revision === revision)
  if (found === undefined)
    return warned('RevisionNotFound', 'Unable to find the revision to rollback to.')
  const { template } = found
  if (isSameTemplate(template, spec.template)) {
    const same = 'The rollback revision contains the same template as current deployment'
    return warned('TemplateUnchanged', `${same} "${metadata.name}"`)
  }
  const mine = sharedAnnotations(annotations, keys)
  const own = Object.fromEntries(
    Object.entries(annotations).filter(([key]) => !Object.hasOwn(mine, key)),
  )
  const shared = sharedAnnotations(found.annotations, keys)
  return {
    deployment: {
      ...answered,
      metadata: { ...answered.metadata, annotations: { ...own, ...shared } },
      spec: { ...spec, template: withoutHash(template ?? {}) },
    },
    event: {
      ...{ type: 'Normal', reason: 'DeploymentRollback' },
      message: `Rolled back deployment "${metadata.name}" to revision ${revision}`,
    },
  }
}

/** The revisions there are. That of the present template is the newest, also where it is not told yet. */
function revisionsOf({ deployment, sets, keys }: ObservedRevisions) {
  const present = deployment.spec?.template
  const told = sets.flatMap((object) => {
    const revision = revisionOf(object, keys)
    const { metadata, spec } = object
    const { annotations } = metadata
    return revision === undefined
      ? []
      : [{ object, revision, template: spec?.template, annotations }]
  })
  const isOld = ({ template }: (typeof told)[number]) => !isSameTemplate(template, present)
  const old = told.filter(isOld)
  const known = told.filter((one) => !isOld(one)).map(({ revision }) => revision)
  const revision = Math.max(nextRevision(old, keys), ...known)
  return [...old, { revision, template: present, annotations: deployment.metadata.annotations }]
}

/** The last revision but the newest; 0 if there is none. */
function lastOf(revisions: readonly { readonly revision: number }[]): number {
  const [, last] = revisions.map(({ revision }) => revision).sort((one, other) => other - one)
  return last ?? 0
}
