/** The messages in which the gnostic project writes an OpenAPI 3.0 document, as far as our documents need them. */
import type {
  MessageField,
  MessageType,
  ProtobufTables,
} from '../../../kernel/descriptors/protobuf-tables.ts'

type Row = readonly [number: number, name: string, type: MessageType, sort?: 'list']

/** Absent and zero are the same here, and never written. */
function message(...rows: readonly Row[]): readonly MessageField[] {
  return rows.map(([number, name, type, sort]) => [number, name, type, sort ?? 'tracked'])
}

/** A map as this format has it: a list of pairs. */
function named(type: MessageType): readonly MessageField[] {
  return message([1, 'name', 'string'], [2, 'value', type])
}

function pairs(type: MessageType): readonly MessageField[] {
  return message([1, 'pairs', type, 'list'])
}

/** The fields of each message by number, name and type. */
export const openapiMessages: ProtobufTables = {
  kinds: {},
  messages: {
    'v3.Document': message(
      [1, 'openapi', 'string'],
      [2, 'info', 'v3.Info'],
      [4, 'paths', 'v3.Paths'],
      [5, 'components', 'v3.Components'],
    ),
    'v3.Info': message(
      [1, 'title', 'string'],
      [2, 'description', 'string'],
      [6, 'version', 'string'],
    ),
    'v3.Components': message([1, 'schemas', 'v3.SchemasOrReferences']),
    'v3.SchemasOrReferences': pairs('v3.NamedSchemaOrReference'),
    'v3.Paths': message(
      [1, 'path', 'v3.NamedPathItem', 'list'],
      [2, 'extensions', 'v3.NamedAny', 'list'],
    ),
    'v3.NamedPathItem': named('v3.PathItem'),
    'v3.PathItem': message(
      [2, 'summary', 'string'],
      [3, 'description', 'string'],
      [4, 'get', 'v3.Operation'],
      [5, 'put', 'v3.Operation'],
      [6, 'post', 'v3.Operation'],
      [7, 'delete', 'v3.Operation'],
      [8, 'options', 'v3.Operation'],
      [9, 'head', 'v3.Operation'],
      [10, 'patch', 'v3.Operation'],
      [11, 'trace', 'v3.Operation'],
      [13, 'parameters', 'v3.ParameterOrReference', 'list'],
      [14, 'extensions', 'v3.NamedAny', 'list'],
    ),
    'v3.Operation': message(
      [1, 'tags', 'string', 'list'],
      [2, 'summary', 'string'],
      [3, 'description', 'string'],
      [5, 'operationId', 'string'],
      [6, 'parameters', 'v3.ParameterOrReference', 'list'],
      [7, 'requestBody', 'v3.RequestBodyOrReference'],
      [8, 'responses', 'v3.Responses'],
      [10, 'deprecated', 'bool'],
      [13, 'extensions', 'v3.NamedAny', 'list'],
    ),
    'v3.ParameterOrReference': message(
      [1, 'parameter', 'v3.Parameter'],
      [2, 'reference', 'v3.Reference'],
    ),
    'v3.Parameter': message(
      [1, 'name', 'string'],
      [2, 'in', 'string'],
      [3, 'description', 'string'],
      [4, 'required', 'bool'],
      [5, 'deprecated', 'bool'],
      [7, 'style', 'string'],
      [8, 'explode', 'bool'],
      [10, 'schema', 'v3.SchemaOrReference'],
      [14, 'extensions', 'v3.NamedAny', 'list'],
    ),
    'v3.RequestBodyOrReference': message(
      [1, 'requestBody', 'v3.RequestBody'],
      [2, 'reference', 'v3.Reference'],
    ),
    'v3.RequestBody': message(
      [1, 'description', 'string'],
      [2, 'content', 'v3.MediaTypes'],
      [3, 'required', 'bool'],
    ),
    'v3.MediaTypes': pairs('v3.NamedMediaType'),
    'v3.NamedMediaType': named('v3.MediaType'),
    'v3.MediaType': message([1, 'schema', 'v3.SchemaOrReference']),
    'v3.Responses': message(
      [1, 'default', 'v3.ResponseOrReference'],
      [2, 'responses', 'v3.NamedResponseOrReference', 'list'],
    ),
    'v3.NamedResponseOrReference': named('v3.ResponseOrReference'),
    'v3.ResponseOrReference': message(
      [1, 'response', 'v3.Response'],
      [2, 'reference', 'v3.Reference'],
    ),
    'v3.Response': message([1, 'description', 'string'], [3, 'content', 'v3.MediaTypes']),
    'v3.Reference': message([1, '$ref', 'string'], [3, 'description', 'string']),
    'v3.SchemaOrReference': message([1, 'schema', 'v3.Schema'], [2, 'reference', 'v3.Reference']),
    'v3.NamedSchemaOrReference': named('v3.SchemaOrReference'),
    'v3.Schema': message(
      [1, 'nullable', 'bool'],
      [3, 'readOnly', 'bool'],
      [4, 'writeOnly', 'bool'],
      [7, 'example', 'v3.Any'],
      [8, 'deprecated', 'bool'],
      [9, 'title', 'string'],
      [10, 'multipleOf', 'double'],
      [11, 'maximum', 'double'],
      [12, 'exclusiveMaximum', 'bool'],
      [13, 'minimum', 'double'],
      [14, 'exclusiveMinimum', 'bool'],
      [15, 'maxLength', 'int64'],
      [16, 'minLength', 'int64'],
      [17, 'pattern', 'string'],
      [18, 'maxItems', 'int64'],
      [19, 'minItems', 'int64'],
      [20, 'uniqueItems', 'bool'],
      [21, 'maxProperties', 'int64'],
      [22, 'minProperties', 'int64'],
      [23, 'required', 'string', 'list'],
      [24, 'enum', 'v3.Any', 'list'],
      [25, 'type', 'string'],
      [26, 'allOf', 'v3.SchemaOrReference', 'list'],
      [27, 'oneOf', 'v3.SchemaOrReference', 'list'],
      [28, 'anyOf', 'v3.SchemaOrReference', 'list'],
      [29, 'not', 'v3.Schema'],
      [30, 'items', 'v3.ItemsItem'],
      [31, 'properties', 'v3.Properties'],
      [32, 'additionalProperties', 'v3.AdditionalPropertiesItem'],
      [33, 'default', 'v3.DefaultType'],
      [34, 'description', 'string'],
      [35, 'format', 'string'],
      [36, 'extensions', 'v3.NamedAny', 'list'],
    ),
    'v3.ItemsItem': message([1, 'schema', 'v3.SchemaOrReference', 'list']),
    'v3.Properties': pairs('v3.NamedSchemaOrReference'),
    'v3.AdditionalPropertiesItem': message(
      [1, 'schema', 'v3.SchemaOrReference'],
      [2, 'boolean', 'bool'],
    ),
    'v3.DefaultType': message(
      [1, 'number', 'double'],
      [2, 'boolean', 'bool'],
      [3, 'string', 'string'],
    ),
    'v3.NamedAny': named('v3.Any'),
    'v3.Any': message([2, 'yaml', 'string']),
  },
}
