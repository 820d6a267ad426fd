/** Jobs, cron jobs, and what becomes of jobs that finished. */
import type { Cluster } from '../cluster.ts'
import { type ControllerScenarios, cronJobs, jobs, podSpec, pods } from './shapes.ts'

function template(agent: string, restartPolicy = 'Never'): object {
  return { metadata: { annotations: { agent } }, spec: podSpec({ restartPolicy }) }
}

function job(name: string, agent: string, spec: object = {}): object {
  return { metadata: { name }, spec: { template: template(agent), ...spec } }
}

/** Waits until a job has a condition. */
function is(c: Cluster, name: string, type: string): Promise<void> {
  return c.has(jobs, name, ({ status }) =>
    status.conditions?.some(
      (one: { type: string; status: string }) => one.type === type && one.status === 'True',
    ),
  )
}

export const batch: ControllerScenarios = {
  's-job-complete': async (c) => {
    await c.create(jobs, job('work', 'succeeds', { completions: 3, parallelism: 2 }))
    await is(c, 'work', 'Complete')
  },
  's-job-indexed': async (c) => {
    await c.create(
      jobs,
      job('work', 'succeeds', { completions: 4, parallelism: 4, completionMode: 'Indexed' }),
    )
    await is(c, 'work', 'Complete')
  },
  's-job-fails': async (c) => {
    await c.create(jobs, job('work', 'fails', { backoffLimit: 0 }))
    await is(c, 'work', 'Failed')
  },
  's-job-again': async (c) => {
    await c.create(jobs, job('work', 'fails', { backoffLimit: 1 }))
    await is(c, 'work', 'Failed')
  },
  's-job-deadline': async (c) => {
    await c.create(jobs, job('work', 'ready', { activeDeadlineSeconds: 2 }))
    await is(c, 'work', 'Failed')
  },
  's-job-suspend': async (c) => {
    await c.create(jobs, job('work', 'ready', { suspend: true, parallelism: 2, completions: 2 }))
    await is(c, 'work', 'Suspended')
    await c.patch(jobs, 'work', { spec: { suspend: false } })
    await c.has(jobs, 'work', ({ status }) => status.ready === 2)
    await c.patch(jobs, 'work', { spec: { suspend: true } })
    await is(c, 'work', 'Suspended')
    await c.count(pods, 0)
  },
  's-job-policy-fail': async (c) => {
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }]
    await c.create(jobs, job('work', 'fails 42', { podFailurePolicy: { rules } }))
    await is(c, 'work', 'Failed')
  },
  's-job-policy-ignore': async (c) => {
    const rules = [
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    ]
    await c.create(jobs, job('work', 'ready', { backoffLimit: 0, podFailurePolicy: { rules } }))
    await c.has(jobs, 'work', ({ status }) => status.ready === 1)
    const [first] = await c.list(pods)
    await c.status(pods, first?.metadata.name ?? '', {
      phase: 'Failed',
      conditions: [
        {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'Test',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    })
    await c.has(
      jobs,
      'work',
      ({ status }) => status.ready === 1 && status.uncountedTerminatedPods !== undefined,
    )
    await c.count(pods, 1, ({ status }) => status.phase === 'Running')
  },
  's-job-index-limit': async (c) => {
    await c.create(
      jobs,
      job('work', 'fails', {
        completions: 2,
        parallelism: 2,
        completionMode: 'Indexed',
        backoffLimitPerIndex: 0,
      }),
    )
    await is(c, 'work', 'Failed')
  },
  's-job-scaled': async (c) => {
    await c.create(jobs, job('work', 'ready', { parallelism: 3 }))
    await c.has(jobs, 'work', ({ status }) => status.ready === 3)
    await c.patch(jobs, 'work', { spec: { parallelism: 1 } })
    await c.has(jobs, 'work', ({ status }) => status.active === 1)
    await c.delete(jobs, 'work', { propagationPolicy: 'Background' })
    await c.gone(jobs, 'work')
    await c.count(pods, 0)
  },
  's-job-elsewhere': async (c) => {
    await c.create(jobs, {
      ...job('work', 'ready'),
      spec: { template: template('ready'), managedBy: 'x/y' },
    })
    await c.has(jobs, 'work', ({ status }) => status.active === 1)
  },
  's-ttl-finished': async (c) => {
    await c.create(jobs, job('work', 'succeeds', { ttlSecondsAfterFinished: 2 }))
    await c.gone(jobs, 'work')
    await c.count(pods, 0)
  },
  's-cron-forbid': async (c) => {
    await c.create(cronJobs, {
      metadata: { name: 'tick' },
      spec: {
        schedule: '* * * * *',
        concurrencyPolicy: 'Forbid',
        jobTemplate: { spec: { template: template('ready') } },
      },
    })
    await c.count(jobs, 1)
    await c.has(cronJobs, 'tick', ({ status }) => status.active?.length === 1)
  },
  's-cron-done': async (c) => {
    await c.create(cronJobs, {
      metadata: { name: 'tick' },
      spec: {
        ...{ schedule: '* * * * *', timeZone: 'Etc/UTC', successfulJobsHistoryLimit: 0 },
        jobTemplate: { spec: { template: template('succeeds') } },
      },
    })
    await c.has(cronJobs, 'tick', ({ status }) => status.lastSuccessfulTime !== undefined)
  },
  's-cron-suspended': async (c) => {
    await c.create(cronJobs, {
      metadata: { name: 'tick' },
      spec: {
        schedule: '* * * * *',
        suspend: true,
        jobTemplate: { spec: { template: template('ready') } },
      },
    })
  },
  's-cron-never': async (c) => {
    await c.create(cronJobs, {
      metadata: { name: 'tick' },
      spec: { schedule: '0 0 31 2 *', jobTemplate: { spec: { template: template('ready') } } },
    })
  },
  's-cron-zone': async (c) => {
    await c
      .create(cronJobs, {
        metadata: { name: 'tick' },
        spec: {
          schedule: 'TZ=UTC 0 0 1 1 *',
          jobTemplate: { spec: { template: template('ready') } },
        },
      })
      .catch(() => {})
    await c.create(cronJobs, {
      metadata: { name: 'bad-start' },
      spec: {
        schedule: '0 0 1 1 *',
        startingDeadlineSeconds: 1,
        jobTemplate: { spec: { template: template('ready') } },
      },
    })
  },
}
