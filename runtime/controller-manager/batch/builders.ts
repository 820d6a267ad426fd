import type { Builders } from '../contract/build-controller.ts'

/** The controllers of work that ends. */
export const batch: Builders = {
  'cronjob-controller': async (context) =>
    (await import('./cron-job/cron-job-controller.ts')).cronJobController(context),
  'job-controller': async (context) =>
    (await import('./job/job-controller.ts')).jobController(context),
}
