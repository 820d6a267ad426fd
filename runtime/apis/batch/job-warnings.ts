/** Warnings about jobs, and the jobs that cron jobs make. */
import type { JobSpec } from '../../../generated/apis/batch/v1/job.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Loose } from '../../kernel/walker/loose.ts'
import { templateWarnings } from '../core/pod/pod-warnings.ts'

const manyCompletions = 100_000
const highParallelism = 10_000

const mayLoseCount =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes ' +
  'might not be able to track completedIndexes when a big number of indexes fail'

/** The warnings about the job at a path, or none if a change leaves alone the spec that it is part of. */
export function jobWarnings(
  path: string,
  job: Loose<JobSpec> = {},
  domain: string,
  spec: unknown,
  old: unknown,
): readonly string[] {
  const { completions = 0, parallelism = 0, completionMode, template } = job
  const large = completions > manyCompletions && parallelism > highParallelism
  const loses = completionMode === 'Indexed' && large && !deepEqual(spec, old)
  return [
    ...(loses ? [`${path}: ${mayLoseCount}`] : []),
    ...templateWarnings(`${path}.template`, template, domain, spec, old),
  ]
}
