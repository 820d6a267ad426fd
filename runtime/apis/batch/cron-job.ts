import type { CronJob, CronJobSpec } from '../../../generated/apis/batch/v1/cron-job.ts'
import { change } from '../../kernel/values/change.ts'
import { parseSchedule } from '../../kernel/values/cron.ts'
import type { Field } from '../../kernel/walker/field.ts'
import { defaultTemplate } from '../core/pod/pod-template-spec.ts'
import { hostnameWarnings } from '../core/pod/pod-warnings.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { checkJobSpec } from './job-checks.ts'
import { jobWarnings } from './job-warnings.ts'

const useTimeZone =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ' +
  'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'

/** The names of the jobs are eleven characters longer than that of the cron job. */
const longestName = 52

/**
 * The schedule can be read, its zone is known, and its jobs are ones that could be created
 * (supplement I-15).
 * Errors in the order name, schedule, zone, template. The length of the name is asked only of a new
 * object. The template has neither a selector nor the wish for one: each job gets its own.
 */
export const cronJob: Strategy<CronJob> = {
  defaults(object) {
    const { spec } = object
    const inner = spec?.jobTemplate?.spec
    if (inner?.template === undefined) return object
    const jobTemplate = change(spec?.jobTemplate ?? {}, {
      spec: change(inner, { template: defaultTemplate(inner.template) }),
    })
    return change(object, { spec: change(spec ?? {}, { jobTemplate }) })
  },
  warn({ metadata, spec }, old, { platform }) {
    const path = 'spec.jobTemplate.spec'
    const zoned = old !== undefined && spec?.schedule?.includes('TZ')
    return [
      ...(old === undefined ? hostnameWarnings(metadata?.name) : []),
      ...jobWarnings(path, spec?.jobTemplate?.spec, platform.domain, spec, old?.spec),
      ...(zoned ? [useTimeZone] : []),
    ]
  },
  check(object) {
    const { name = '' } = object.value.metadata ?? {}
    if (object.old === undefined && name.length > longestName) {
      object.invalid('metadata.name', `must be no more than ${longestName} characters`)
    }
    const spec = object.child('spec')
    checkSchedule(spec)
    checkZone(spec)
    const job = spec.child('jobTemplate').child('spec')
    checkJobSpec(job)
    job.passOver('selector')
    const { selector, manualSelector } = job.value
    job.afterwards(() => {
      if (selector) job.invalid('selector', '`selector` will be auto-generated')
      if (manualSelector === true) job.unsupported('manualSelector', ['nil', 'false'])
    })
  },
}

/**
 * At most one error. A stored schedule with `TZ=` or `CRON_TZ=` may stay as it is, because earlier
 * releases took it, but not be changed; its prefix is cut off before the rest is read (supplement
 * I-15). An absent schedule is left to the schema.
 */
function checkSchedule(spec: Field<CronJobSpec>) {
  const { schedule = '', timeZone } = spec.value
  if (schedule === '') return
  const zoned = schedule.includes('TZ')
  if (zoned && timeZone !== undefined) {
    return spec.invalid('schedule', 'cannot use both timeZone field and TZ or CRON_TZ in schedule')
  }
  if (zoned && schedule !== spec.old?.schedule) {
    const why = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
    return spec.invalid('schedule', why)
  }
  const parsed = parseSchedule(schedule.replace(/^(CRON_)?TZ=\S+\s+/, ''))
  if (typeof parsed === 'string') spec.invalid('schedule', parsed)
}

/** `Local` in any case is refused: it would mean the zone of whichever server looks at it. */
function checkZone(spec: Field<CronJobSpec>) {
  const { timeZone: zone } = spec.value
  if (zone === undefined) return
  if (zone === '') return spec.invalid('timeZone', 'timeZone must be nil or non-empty string')
  if (zone.toLowerCase() === 'local') {
    const why =
      'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    spec.invalid('timeZone', why)
  }
  if (zone !== 'Local' && !isZone(zone)) spec.invalid('timeZone', `unknown time zone ${zone}`)
}

/** Only names are zones, as they are written: offsets such as `+02:00` and `utc` are refused, whatever `Intl` accepts. */
function isZone(zone: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/.test(zone)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}
