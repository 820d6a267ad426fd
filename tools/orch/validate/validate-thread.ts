/** A thread that checks files beside the main one: it takes the next file of the list that no thread has taken, until there is none. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { openValidator } from '../../../runtime/validate/validate.ts'
import { CheckedFiles } from './checked-files.ts'
import { daemonConfiguration } from './daemon-configuration.ts'
import { platformsOf } from './platforms.ts'
import { isLeftOut, Sources } from './sources.ts'
import { nextOf, type SharedRun, type ThreadResult } from './threads.ts'

const port = parentPort as MessagePort
const configuration = await daemonConfiguration()

port.once('message', async (run: SharedRun) => {
  port.postMessage(await check(run))
  port.close()
})

async function check(run: SharedRun): Promise<ThreadResult> {
  const { first, learned, files, taken, platform, schemas, ...settings } = run
  // What is wrong with schema files is told by the main thread.
  const all = platformsOf(platform, schemas, () => {})
  const own = all[first]
  const platforms = own === undefined ? all : [own, ...all.filter((one) => one !== own)]
  const sources = new Sources(settings.maxFileSize)
  const reread = (name: string) => sources.textOf(name)
  const validator = openValidator({ ...settings, configuration, platforms, reread })
  const checked = new CheckedFiles()
  const commented: number[] = []
  try {
    for (const file of learned) {
      const source = sources.take(file)
      if (!isLeftOut(source)) await validator.learn(source)
    }
    for (let at = nextOf(taken); at < files.length; at = nextOf(taken)) {
      const source = sources.take(files[at] as (typeof files)[number])
      // Comments suppress what files say of each other, too: that is known where all files are.
      if (!isLeftOut(source) && validator.hasComments(source)) commented.push(at)
      else await checked.check(validator, source)
    }
  } finally {
    await validator.close()
  }
  const { findings, objects, suppressed, lines, facts } = checked
  return { findings, objects, suppressed, lines, facts, commented }
}
