/** `markers.yaml`: the vendor keywords that schema files may use. */
import type { Report } from '../finding.ts'
import type { Marker } from '../ir.ts'
import type { Shape } from '../keys/shape.ts'
import { get, items, plain, type YamlNode } from '../yaml/node.ts'
import { checkShape } from './mapping-shape.ts'

/** The prefix of vendor keywords in schema files, whatever the platform publishes them under. */
export const keywordPrefix = 'x-orch-'

/** `on` lists where the keyword may stand, `published` whether OpenAPI documents show it. */
const markerShape: Shape = {
  name: 'string!',
  keyword: 'string!',
  value: 'string!',
  values: 'strings',
  on: 'strings!',
  published: 'boolean!',
  description: 'string!',
  example: 'string',
}

/** The markers that the file lists. */
export function readMarkers(node: YamlNode | undefined, report: Report): readonly Marker[] {
  if (node === undefined || !checkShape(node, 'a marker file', { markers: 'list!' }, report))
    return []
  return items(get(node, 'markers'))
    .filter((each) => checkShape(each, 'a marker', markerShape, report))
    .map((each) => plain(each) as Marker)
}
