/** A thread that checks files beside the main one: it takes the next file of the list that no thread has taken, until there is none. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { openValidator } from '../../../runtime/validate/validate.ts'
import { keepHeapSmall } from '../../pack/compiled-scripts.ts'
import { CheckedFiles } from './checked-files.ts'
import { daemonConfiguration } from './daemon-configuration.ts'
import { platformsOf } from './platforms.ts'
import { isLeftOut, Sources } from './sources.ts'
import { nextOf, objectsOfPart, type SharedRun, type ThreadResult } from './threads.ts'

// A thread that begins has the engine forget what the process wants of its heaps.
keepHeapSmall()

const port = parentPort as MessagePort
const configuration = await daemonConfiguration()

port.once('message', async (run: SharedRun) => {
  await check(run)
  port.close()
})

async function check(run: SharedRun): Promise<void> {
  const { first, learned, files, taken, platform, schemas, ...settings } = run
  // What is wrong with schema files is told by the main thread.
  const all = platformsOf(platform, schemas, () => {})
  const own = all[first]
  const platforms = own === undefined ? all : [own, ...all.filter((one) => one !== own)]
  const sources = new Sources(settings.maxFileSize)
  const reread = (name: string) => sources.textOf(name)
  const validator = openValidator({ ...settings, configuration, platforms, reread })
  let part: Part = { checked: new CheckedFiles(), commented: [] }
  try {
    for (const file of learned) {
      const source = sources.take(file)
      if (!isLeftOut(source)) await validator.learn(source)
    }
    for (let at = nextOf(taken); at < files.length; at = nextOf(taken)) {
      const source = sources.take(files[at] as (typeof files)[number])
      // Comments suppress what files say of each other, too: that is known where all files are.
      if (!isLeftOut(source) && validator.hasComments(source)) part.commented.push(at)
      else await part.checked.check(validator, source)
      if (part.checked.objects < objectsOfPart) continue
      handOver(part, false)
      for (const { place } of part.checked.facts) validator.forget(place.file)
      part = { checked: new CheckedFiles(), commented: [] }
    }
  } finally {
    await validator.close()
  }
  handOver(part, true)
}

/** What was found since the last part was handed over. */
interface Part {
  readonly checked: CheckedFiles
  readonly commented: number[]
}

function handOver({ checked, commented }: Part, isLast: boolean): void {
  const { findings, objects, suppressed, lines, facts } = checked
  const result = { findings, objects, suppressed, lines, facts, commented, isLast }
  port.postMessage(result satisfies ThreadResult)
}
