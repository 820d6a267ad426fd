import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { errorText } from '../../../runtime/kernel/errors/error-text.ts'
import { type Examination, LogLaws, type StoreFinding } from '../../../runtime/store/store.ts'
import { openArchive } from './archive-file.ts'
import { type Call, isStore, Misuse, namedStore } from './call.ts'
import { withProgress } from './progress.ts'
import { countText, numberText } from './text.ts'

/** `doctor`: everything that is wrong with a store or a file of one. */
export async function runDoctor(call: Call): Promise<number> {
  const { subject, values } = call
  const { repair, 'accept-loss': acceptLoss } = values
  if (acceptLoss && !repair) throw new Misuse('doctor: --accept-loss goes with --repair')
  const examination = isStore(subject)
    ? await (await namedStore(subject)).keeper.examine({ clock: systemClock, repair, acceptLoss })
    : await examineArchive(call)
  print(call, examination)
  return examination.count === 0 || examination.repaired ? 0 : 1
}

/** A file of a store: its checksum, and every row of it. */
async function examineArchive(call: Call): Promise<Examination> {
  if (call.values.repair) throw new Misuse('doctor: a file is not mended: make another one')
  const findings: StoreFinding[] = []
  const add = (text: string): void => {
    findings.push({ code: 'log', message: text, remedy: 'restore' })
  }
  const archive = await openArchive(call.subject)
  const laws = new LogLaws(archive.state)
  let rows = 0
  try {
    for await (const changes of withProgress(archive, call).changes) {
      rows += changes.length
      for (const change of changes) for (const { text } of laws.next(change)) add(text)
    }
    for (const { text } of laws.end()) add(text)
  } catch (error) {
    add(errorText(error))
  } finally {
    await archive.close()
  }
  const { state } = archive
  return { state, rows, objects: laws.live.size, findings, count: findings.length, repaired: false }
}

/** What to do, by the remedies that findings name. */
const remedies: Readonly<Record<StoreFinding['remedy'], string>> = {
  repair:
    'orch store doctor --repair mends it; history that it touches is forgotten, and clients list anew',
  'accept loss':
    'objects are lost: restore a backup, or go on without them by orch store doctor --repair --accept-loss',
  restore: 'this cannot be mended: restore a backup (orch store restore)',
}

function print({ subject, values, terminal }: Call, examination: Examination): void {
  const { state, rows, objects, findings, count, repaired } = examination
  if (values.output === 'json') {
    const sound = count === 0
    const cluster = state?.id
    const { revision, compacted } = state ?? {}
    terminal.print(
      JSON.stringify({
        sound,
        repaired,
        cluster,
        revision,
        compacted,
        rows,
        objects,
        count,
        findings,
      }),
    )
    return
  }
  for (const { code, message } of findings) terminal.print(`${code}: ${message}`)
  if (count > findings.length) terminal.print(`and ${numberText(count - findings.length)} more`)
  const found = `${countText(rows, 'row')}, ${countText(objects, 'object')}`
  if (count === 0) terminal.print(`sound: ${found}, revision ${numberText(state?.revision ?? 0)}`)
  else if (repaired) terminal.print(`${countText(count, 'finding')}, mended`)
  else {
    terminal.printError(`${subject.split('@').at(-1)}: ${countText(count, 'finding')} in ${found}`)
    const named = new Set(findings.map(({ remedy }) => remedy))
    const worst = (['restore', 'accept loss', 'repair'] as const).find((one) => named.has(one))
    if (worst !== undefined) terminal.printError(remedies[worst])
  }
}
