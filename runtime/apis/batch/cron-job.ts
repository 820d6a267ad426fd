/** The rules of CronJob. */

import type { FieldError } from '../../kernel/validation/field-error.ts'
import { parseSchedule } from '../../kernel/values/cron.ts'
import { defaultTemplate } from '../core/pod/pod-template-spec.ts'
import { templateWarnings } from '../core/pod/pod-warnings.ts'
import { change } from '../strategy/change.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { invalid, unsupported } from '../types/field-errors.ts'
import { checkJobSpec } from './job-checks.ts'
import type { CronJob, JobSpec } from './job-shapes.ts'

/** The names of the jobs are eleven characters longer than that of the cron job. */
const longestName = 52

/** The schedule can be read, its zone is known, and its jobs are ones that could be created (supplement I-15). */
export const cronJob: Strategy = {
  defaults(object) {
    const { spec } = object as CronJob
    const inner = spec?.jobTemplate?.spec
    if (inner?.template === undefined) return object
    const jobTemplate = change(spec?.jobTemplate ?? {}, {
      spec: change(inner, { template: defaultTemplate(inner.template) }),
    })
    return change(object as CronJob, { spec: change(spec ?? {}, { jobTemplate }) })
  },
  warn(object, old) {
    const { spec } = object as CronJob
    return templateWarnings(
      'spec.jobTemplate.spec.template',
      spec?.jobTemplate?.spec?.template,
      spec,
      (old as CronJob | undefined)?.spec,
    )
  },
  validate(object, old) {
    const { metadata, spec } = object as CronJob
    const before = (old as CronJob | undefined)?.spec?.schedule
    const name = metadata.name ?? ''
    const long = old === undefined && name.length > longestName
    const most = `must be no more than ${longestName} characters`
    return [
      ...(long ? [invalid('metadata.name', name, most)] : []),
      ...checkSchedule(spec?.schedule ?? '', before, spec?.timeZone),
      ...checkZone(spec?.timeZone),
      ...checkJobTemplate('spec.jobTemplate.spec', spec?.jobTemplate?.spec ?? {}),
    ]
  },
}

function checkSchedule(
  schedule: string,
  old: string | undefined,
  zone: string | undefined,
): readonly FieldError[] {
  if (schedule === '') return []
  const path = 'spec.schedule'
  const zoned = schedule.includes('TZ')
  if (zoned && zone !== undefined) {
    const why = 'cannot use both timeZone field and TZ or CRON_TZ in schedule'
    return [invalid(path, schedule, why)]
  }
  if (zoned && schedule !== old) {
    const why = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
    return [invalid(path, schedule, why)]
  }
  const parsed = parseSchedule(schedule.replace(/^(CRON_)?TZ=\S+\s+/, ''))
  return typeof parsed === 'string' ? [invalid(path, schedule, parsed)] : []
}

function checkZone(zone: string | undefined): readonly FieldError[] {
  if (zone === undefined) return []
  const path = 'spec.timeZone'
  if (zone === '') return [invalid(path, zone, 'timeZone must be nil or non-empty string')]
  if (zone.toLowerCase() === 'local') {
    const why =
      'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    return [invalid(path, zone, why)]
  }
  return isZone(zone) ? [] : [invalid(path, zone, `unknown time zone ${zone}`)]
}

function isZone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(zone)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}

function checkJobTemplate(path: string, spec: JobSpec): readonly FieldError[] {
  const { selector, manualSelector } = spec
  const made = '`selector` will be auto-generated'
  return [
    ...checkJobSpec(path, spec),
    ...(selector ? [invalid(`${path}.selector`, selector, made)] : []),
    ...(manualSelector === true
      ? [unsupported(`${path}.manualSelector`, true, ['nil', 'false'])]
      : []),
  ]
}
