import { jobs } from '../../../../generated/apis/batch/v1/job.ts'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import { objectKey } from '../../../informer/informer.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import {
  controllerOf,
  done,
  type KeyController,
  type Lookup,
  watching,
} from '../../../reconcile/reconcile.ts'
import { controllerIndex } from '../../pods/claim.ts'
import { isFinished, isHeld, type JobRules } from './job-rules.ts'
import { releasePod } from './pod-effects.ts'

/** Releases pods that no job will count any more: those without a controller, and those of a job that is over, gone or another one. */
export function orphanPodController(name: string, rules: JobRules): KeyController {
  return {
    ...{ name, concurrency: 1 },
    queue: { backoff: { baseMs: 1000, maxMs: 60_000 } },
    watches: [
      watching(pods, (pod, lookup) => (isOrphan(pod, lookup, rules) ? [objectKey(pod)] : []), {
        indexes: controllerIndex,
      }),
      watching(jobs, ({ metadata }, { cached }) => {
        const owned = cached(pods).index('controller', metadata.uid)
        return owned.filter((pod) => isOrphan(pod, { cached }, rules)).map(objectKey)
      }),
    ],
    async reconcile(key, context) {
      const pod = context.cached(pods).get(key)
      if (pod !== undefined && isOrphan(pod, context, rules)) await releasePod(pod, rules, context)
      return done
    },
  }
}

function isOrphan(pod: Stored<Pod>, { cached }: Pick<Lookup, 'cached'>, rules: JobRules): boolean {
  if (!isHeld(pod, rules)) return false
  const owner = controllerOf(pod)
  if (owner === undefined) return true
  const { namespace } = pod.metadata
  const job = owner.kind === 'Job' ? cached(jobs).get({ namespace, name: owner.name }) : undefined
  return job?.metadata.uid !== owner.uid || isFinished(job)
}
