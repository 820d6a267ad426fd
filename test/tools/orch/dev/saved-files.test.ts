/** Saved files are noticed however an editor saves them. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import { SavedFiles } from '../../../../tools/orch/dev/saved-files.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { until } from '../../../support/until.ts'

const test = suite('tools/orch: saved files')

/** A watched folder; `noticed` waits for one burst of changes after those before. */
function watched() {
  const folder = tempDirectory()
  mkdirSync(join(folder, 'web/v1'), { recursive: true })
  writeFileSync(join(folder, 'web/v1/website.yaml'), 'first')
  let bursts = 0
  const files = new SavedFiles(() => bursts++)
  files.add(folder, true)
  const noticed = async (save: () => void) => {
    const before = bursts
    save()
    await until('the saved file is noticed', () => bursts > before)
  }
  return { folder, files, noticed }
}

function write(...path: string[]): void {
  const file = join(...path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, 'another text')
}

test('a file that an editor replaces is noticed each time', async () => {
  const { folder, files, noticed } = watched()
  const file = join(folder, 'web/v1/website.yaml')
  for (let time = 0; time < 3; time++) {
    // Written elsewhere, so that nothing but the replacement can be noticed.
    const written = join(tempDirectory(), 'website.yaml')
    writeFileSync(written, `text ${time}`)
    await noticed(() => renameSync(written, file))
  }
  await noticed(() => writeFileSync(file, 'in place'))
  files.close()
})

test('a file in a folder that is new, or made again, is noticed', async () => {
  const { folder, files, noticed } = watched()
  await noticed(() => mkdirSync(join(folder, 'shop/v1'), { recursive: true }))
  await noticed(() => write(folder, 'shop/v1/order.yaml'))
  await noticed(() => rmSync(join(folder, 'web'), { recursive: true }))
  await noticed(() => write(folder, 'web/v1/website.yaml'))
  await noticed(() => write(folder, 'web/v1/website.yaml'))
  files.close()
})

test.run()
