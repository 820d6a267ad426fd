import { equal } from 'uvu/assert'
import { kindAt } from '../../../support/registry.ts'
import type { Given, Stored } from '../outcome.ts'
import { creations, refusals, stored, updates, writing } from '../tables.ts'

const test = writing('runtime/apis: jobs and cron jobs')
const jobs = kindAt('apis/batch/v1/jobs')
const cronJobs = kindAt('apis/batch/v1/cronjobs')

const container = { name: 'main', image: 'example/app' }
const template = (more: object = {}) => ({
  spec: { containers: [container], restartPolicy: 'Never', ...more },
})
const job = (more: object = {}): Given => ({ spec: { template: template(), ...more } })
const indexed = (more: object = {}) => job({ completionMode: 'Indexed', completions: 3, ...more })
type Spec = Record<string, unknown>
const spec = (object: Stored) => object.spec as Spec
const withSpec =
  (more: object) =>
  (object: Stored): Stored => ({ ...object, spec: { ...spec(object), ...more } })
const pick = (...fields: string[]) => {
  return (object: Stored) => fields.map((field) => spec(object)[field])
}

// I-01, I-14
creations(test, jobs, [
  ['one pod, once', job(), pick('completions', 'parallelism'), [1, 1]],
  [
    'several pods at once need no number of successes',
    job({ parallelism: 3 }),
    pick('completions', 'parallelism'),
    [undefined, 3],
  ],
  [
    'the rest is what most want',
    job(),
    pick('backoffLimit', 'completionMode', 'suspend', 'manualSelector', 'podReplacementPolicy'),
    [6, 'NonIndexed', false, false, 'TerminatingOrFailed'],
  ],
  [
    'limits of each index take the place of the common one',
    indexed({ backoffLimitPerIndex: 1 }),
    pick('backoffLimit'),
    [2147483647],
  ],
  [
    'rules for failed pods wait for them to end',
    job({ podFailurePolicy: { rules: [] } }),
    pick('podReplacementPolicy'),
    ['Failed'],
  ],
])

test('pods are found by the identity of the job', async ({ writer }) => {
  // I-14
  const made = stored(await writer.create(jobs, job()))
  const { uid, name, labels } = made.metadata as Record<string, string | object>
  const own = {
    'batch.orch.io/controller-uid': uid,
    'batch.orch.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  }
  equal(spec(made).selector, { matchLabels: { 'batch.orch.io/controller-uid': uid } })
  equal((spec(made).template as { metadata: { labels: object } }).metadata.labels, own)
  equal(labels, own)
})

test('labels of the template are kept, and label the job', async ({ writer }) => {
  const given = { spec: { template: { metadata: { labels: { app: 'x' } }, ...template() } } }
  const made = stored(await writer.create(jobs, given))
  equal(Object.keys(made.metadata.labels as object), [
    'app',
    'batch.orch.io/controller-uid',
    'batch.orch.io/job-name',
    'controller-uid',
    'job-name',
  ])
  const own = { ...given, metadata: { labels: { mine: 'y' } } }
  equal(stored(await writer.create(jobs, own)).metadata.labels, { mine: 'y' })
})

test('a selector chosen by hand is left alone', async ({ writer }) => {
  const selector = { matchLabels: { app: 'x' } }
  const chosen = { metadata: { labels: { app: 'x' } }, ...template() }
  const given = { spec: { manualSelector: true, selector, template: chosen } }
  equal(spec(stored(await writer.create(jobs, given))).selector, selector)
})

const path = 'spec.template.spec.restartPolicy'
const rules = 'spec.podFailurePolicy.rules[0]'
const codes = (onExitCodes: object, more: object = {}) =>
  job({ podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes, ...more }] } })
refusals(test, jobs, [
  [
    'pods of a job end',
    { spec: { template: template({ restartPolicy: 'Always' }) } },
    [`${path}: Required value: valid values: "OnFailure", "Never"`],
  ],
  [
    'indexes are counted',
    job({ completionMode: 'Indexed', parallelism: 2 }),
    ['spec.completions: Required value: when completion mode is Indexed'],
  ],
  [
    'only indexes have limits of their own',
    job({ backoffLimitPerIndex: 1, maxFailedIndexes: 1 }),
    [
      'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
      'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
    ],
  ],
  [
    'failed indexes are counted by their limits',
    indexed({ maxFailedIndexes: 1 }),
    ['spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified'],
  ],
  [
    'no more indexes fail than there are',
    indexed({ maxFailedIndexes: 4, backoffLimitPerIndex: 1 }),
    ['spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions'],
  ],
  [
    'rules for failed pods need pods that are not restarted',
    {
      spec: {
        template: template({ restartPolicy: 'OnFailure' }),
        podFailurePolicy: { rules: [] },
      },
    },
    [
      `${path}: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified`,
    ],
  ],
  [
    'a rule asks something',
    job({ podFailurePolicy: { rules: [{ action: 'Ignore' }] } }),
    [`${rules}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`],
  ],
  [
    'but one thing only',
    codes({ operator: 'In', values: [1] }, { onPodConditions: [{ type: 'X', status: 'True' }] }),
    [`${rules}: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`],
  ],
  [
    'exit codes are failures, in order, each once',
    codes({ operator: 'In', values: [2, 0, 2] }),
    [
      `${rules}.onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator`,
      `${rules}.onExitCodes.values[2]: Duplicate value: 2`,
      `${rules}.onExitCodes.values: Invalid value: [2,0,2]: must be ordered`,
    ],
  ],
  [
    'of a container that is there',
    codes({ containerName: 'side', operator: 'NotIn', values: [0] }),
    [
      `${rules}.onExitCodes.containerName: Invalid value: "side": must be one of the container or initContainer names in the pod template`,
    ],
  ],
  [
    'an index fails where indexes count',
    job({
      podFailurePolicy: {
        rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }],
      },
    }),
    [`${rules}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`],
  ],
])

// I-14
updates(test, jobs, job(), [
  ['fewer pods at once', withSpec({ parallelism: 0 }), []],
  ['a pause', withSpec({ suspend: true }), []],
  [
    'the number of successes stays',
    withSpec({ completions: 2 }),
    ['spec.completions: Invalid value: 2: field is immutable'],
  ],
  [
    'so does the mode',
    withSpec({ completionMode: 'Indexed' }),
    ['spec.completionMode: Invalid value: "Indexed": field is immutable'],
  ],
])
updates(test, jobs, indexed({ parallelism: 3 }), [
  ['an indexed job grows with its parallelism', withSpec({ completions: 5, parallelism: 5 }), []],
  [
    'and not without',
    withSpec({ completions: 5 }),
    ['spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism'],
  ],
])
const elsewhere = (object: Stored) => {
  const old = spec(object).template as { spec: object }
  return withSpec({ template: { ...old, spec: { ...old.spec, nodeSelector: { zone: 'a' } } } })(
    object,
  )
}
const image = (object: Stored) => {
  const old = spec(object).template as { spec: object }
  const containers = [{ ...container, image: 'example/other' }]
  return withSpec({ template: { ...old, spec: { ...old.spec, containers } } })(object)
}
test('pods of a job that waits may still go elsewhere, but stay what they are', async ({
  writer,
}) => {
  const waiting = job({ suspend: true })
  stored(await writer.update(jobs, waiting, elsewhere))
  const [finding = ''] = (await writer.update(jobs, waiting, image)) as readonly string[]
  equal(finding.replace(/\{.*\}/, '...'), 'spec.template: Invalid value: ...: field is immutable')
  const [running = ''] = (await writer.update(jobs, job(), elsewhere)) as readonly string[]
  equal(running.replace(/\{.*\}/, '...'), 'spec.template: Invalid value: ...: field is immutable')
})

const cron = (schedule: string, more: object = {}, jobSpec: object = {}): Given => ({
  spec: { schedule, jobTemplate: { spec: { template: template(), ...jobSpec } }, ...more },
})

// I-15
creations(test, cronJobs, [
  [
    'what is left out',
    cron('@hourly'),
    pick('concurrencyPolicy', 'suspend', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'),
    ['Allow', false, 3, 1],
  ],
  [
    'the jobs get their defaults when they are made',
    cron('@hourly'),
    (o) => Object.keys((spec(o).jobTemplate as { spec: object }).spec),
    ['template'],
  ],
])
const wrong = (text: string, why: string) =>
  `spec.schedule: Invalid value: ${JSON.stringify(text)}: ${why}`
refusals(test, cronJobs, [
  ['five fields', cron('*/5 9-17 1,15 jan-jun mon-fri'), []],
  ['a word', cron('@daily'), []],
  ['a length of time', cron('@every 90m'), []],
  ['no schedule', cron(''), ['spec.schedule: Required value']],
  [
    'six fields',
    cron('0 * * * * *'),
    [wrong('0 * * * * *', 'expected exactly 5 fields, found 6: [0 * * * * *]')],
  ],
  [
    'a word that nobody knows',
    cron('@often'),
    [wrong('@often', 'unrecognized descriptor: @often')],
  ],
  [
    'a minute that no hour has',
    cron('60 * * * *'),
    [wrong('60 * * * *', 'end of range (60) above maximum (59): 60')],
  ],
  [
    'a zone in the schedule',
    cron('TZ=UTC 0 * * * *'),
    [wrong('TZ=UTC 0 * * * *', 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')],
  ],
  ['a zone of its own', cron('@daily', { timeZone: 'Europe/Berlin' }), []],
  [
    'the zone of the machine',
    cron('@daily', { timeZone: 'Local' }),
    [
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
  ],
  [
    'a zone that is nowhere',
    cron('@daily', { timeZone: 'Moon/Tranquility' }),
    ['spec.timeZone: Invalid value: "Moon/Tranquility": unknown time zone Moon/Tranquility'],
  ],
  [
    'an offset is no zone',
    cron('@daily', { timeZone: '+01:00' }),
    ['spec.timeZone: Invalid value: "+01:00": unknown time zone +01:00'],
  ],
  [
    'selectors are made for the jobs',
    cron('@daily', {}, { manualSelector: true, selector: { matchLabels: { a: 'b' } } }),
    [
      'spec.jobTemplate.spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a":"b"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: `selector` will be auto-generated',
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ],
  ],
  [
    'names leave room for those of the jobs',
    { ...cron('@daily'), metadata: { name: 'a'.repeat(53) } },
    [`metadata.name: Invalid value: "${'a'.repeat(53)}": must be no more than 52 characters`],
  ],
])

test.run()
