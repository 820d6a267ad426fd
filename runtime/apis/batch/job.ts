import type { Job as GeneratedJob } from '../../../generated/apis/batch/v1/job.ts'
import { change } from '../../kernel/values/change.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import { defaultTemplate } from '../core/pod/pod-template-spec.ts'
import { hostnameWarnings } from '../core/pod/pod-warnings.ts'
import type { StrategyContext } from '../strategy/context.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { checkJobSpec, checkSelectorMatch, checkTracking, checkUncounted } from './job-checks.ts'
import { checkJobUpdate } from './job-update.ts'
import { jobWarnings } from './job-warnings.ts'

type Job = LooseObject<GeneratedJob>
type Labels = Readonly<Record<string, string>>

/** The largest 32-bit number: with a limit for each index, the job as a whole has none. */
const unlimited = 2147483647

/** A job finds its pods by labels that are made when it is created, unless it brings its own (supplement I-14). */
export const job: Strategy<GeneratedJob> = {
  defaults: withDefaults,
  prepareCreate: withTracking,
  prepareSubresource: (object) => withDefaults(object),
  warn: ({ metadata, spec }, old, { platform }) => [
    ...(old === undefined ? hostnameWarnings(metadata?.name) : []),
    ...jobWarnings('spec', spec, platform.domain, spec, old?.spec),
  ],
  check(object, context) {
    const spec = object.child('spec')
    object.asNew(() => checkTracking(object, trackingLabels(object.value as Job, context)))
    checkJobSpec(spec)
    checkSelectorMatch(spec)
    if (object.old !== undefined) checkJobUpdate(object)
  },
  checkStatus: (object) => checkUncounted(object.child('status')),
}

/**
 * Completions default to 1 only if parallelism is absent, too: a job with parallelism alone is a
 * work queue and ends when one pod succeeds. A failure policy makes `Failed` the default of
 * replacement. The job takes over the labels of its template if it has none.
 */
function withDefaults(object: Job): Job {
  const { spec, metadata } = object
  if (spec === undefined) return object
  const template = spec.template && defaultTemplate(spec.template)
  const alone = spec.completions === undefined && spec.parallelism === undefined
  const filled = change(spec, {
    ...(alone && { completions: 1 }),
    parallelism: spec.parallelism ?? 1,
    backoffLimit: spec.backoffLimit ?? (spec.backoffLimitPerIndex === undefined ? 6 : unlimited),
    template,
    completionMode: spec.completionMode ?? 'NonIndexed',
    suspend: spec.suspend ?? false,
    manualSelector: spec.manualSelector ?? false,
    podReplacementPolicy:
      spec.podReplacementPolicy ?? (spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed'),
  })
  const labels = isEmpty(metadata.labels) ? template?.metadata?.labels : metadata.labels
  return change(object, {
    spec: filled,
    metadata: isEmpty(labels) ? metadata : change(metadata, { labels: labels ?? {} }),
  })
}

/** Puts the job's identity into the labels of its pods and into its selector. */
function withTracking(object: Job, context: StrategyContext): Job {
  const { spec, metadata } = object
  if (spec === undefined || spec.manualSelector === true) return object
  const before = spec.template?.metadata?.labels
  const labels = { ...trackingLabels(object, context), ...before }
  const template = { ...spec.template, metadata: { ...spec.template?.metadata, labels } }
  // The labels of the template are also those of the job while both are the same set.
  const shared = metadata.labels === undefined || metadata.labels === before
  return {
    ...object,
    metadata: shared ? { ...metadata, labels } : metadata,
    spec: { ...spec, template, selector: withUid(spec.selector, object, context) },
  }
}

/** A client that gave the same key keeps its value; the check refuses a wrong one. */
function withUid(
  selector: NonNullable<Job['spec']>['selector'],
  { metadata }: Job,
  context: StrategyContext,
) {
  const key = `batch.${context.platform.domain}/controller-uid`
  return {
    ...selector,
    matchLabels: { [key]: metadata.uid ?? '', ...selector?.matchLabels },
  }
}

/**
 * The labels of the pods of a job, in their short and long form.
 * The short forms are those of earlier releases.
 */
function trackingLabels({ metadata }: Job, { platform }: StrategyContext): Labels {
  const [uid, name] = [metadata.uid ?? '', metadata.name ?? '']
  return {
    'controller-uid': uid,
    'job-name': name,
    [`batch.${platform.domain}/controller-uid`]: uid,
    [`batch.${platform.domain}/job-name`]: name,
  }
}

function isEmpty(labels: Labels | undefined): boolean {
  return labels === undefined || Object.keys(labels).length === 0
}
