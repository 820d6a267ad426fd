import {
  parseStoreLocation,
  storeLocationForms,
  storeLocationProblem,
  storeLocationText,
} from '../../runtime/store/store.ts'

/** Why the server could not keep objects where `--storage` says; nothing is made or changed to find out. */
export function storageProblem(text: string): string | undefined {
  const location = parseStoreLocation(text)
  if (location === undefined) {
    return `invalid argument ${JSON.stringify(storeLocationText(text))} for "--storage" flag: must be ${storeLocationForms}`
  }
  const problem = storeLocationProblem(location)
  return problem === undefined ? undefined : `--storage ${storeLocationText(text)}: ${problem}`
}
