import type { OptionTable } from '../../../runtime/kernel/options/option-table.ts'

/** A table with a flag of every type. */
export const table: OptionTable = {
  daemon: 'demo',
  description: 'A program that shows every type of flag.',
  sections: [
    {
      name: 'Serving',
      options: [
        {
          flag: 'bind-address',
          type: 'string',
          default: '127.0.0.1',
          description: '`IP` to listen on.',
        },
        {
          flag: 'port',
          type: 'int',
          default: 8080,
          minimum: 0,
          maximum: 65535,
          description: 'Port.',
        },
        { flag: 'offset', type: 'int32', description: 'Offset.' },
        { flag: 'limit', type: 'int64', description: 'Limit.' },
        { flag: 'rate', type: 'float', default: 0.1, description: 'Rate.' },
        { flag: 'timeout', type: 'duration', default: '1m0s', description: 'Timeout.' },
        { flag: 'size', type: 'quantity', default: '256Mi', description: 'Size.' },
      ],
    },
    {
      name: 'Lists',
      options: [
        {
          flag: 'controllers',
          type: 'strings',
          default: ['*'],
          description:
            'Controllers to run, by name, of which a star stands for all that are on by default.',
        },
        { flag: 'header', type: 'stringArray', description: 'Headers.' },
        { flag: 'labels', type: 'stringToString', default: { a: 'b' }, description: 'Labels.' },
        { flag: 'format', type: 'string', values: ['text', 'json'], description: 'Format.' },
      ],
    },
    {
      name: 'Global',
      options: [
        { flag: 'enable', shorthand: 'e', type: 'bool', description: 'Switch.' },
        {
          flag: 'quiet',
          shorthand: 'q',
          type: 'bool',
          default: true,
          description: 'Other switch.',
        },
        { flag: 'v', shorthand: 'v', type: 'int', description: '`LEVEL` of detail.' },
        { flag: 'old', type: 'int', deprecated: 'use --port instead', description: 'Old.' },
        { flag: 'secret', type: 'bool', hidden: true, description: 'Hidden.' },
      ],
    },
  ],
}
