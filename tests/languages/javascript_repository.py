"""A mailer; the issue brings the stack trace of Node."""

from languages.repository import Repository, files_of, minified

_FILES = r"""
=== index.js
'use strict';

const { Mailer } = require('./lib/mailer');
const { loadConfig } = require('./lib/config');

module.exports = function createMailer(options) {
  return new Mailer(loadConfig(options));
};

=== lib/config.js
'use strict';

const DEFAULTS = { timezone: 'UTC', batchSize: 50, retries: 3, from: 'noreply@example.org' };

function loadConfig(options = {}) {
  const config = Object.assign({}, DEFAULTS, options);
  if (config.batchSize < 1) {
    throw new RangeError('batchSize must be positive');
  }
  return config;
}

module.exports = { loadConfig, DEFAULTS };

=== lib/mailer.js
'use strict';

const { Campaign } = require('./campaigns/campaign');
const { Outbox } = require('./delivery/outbox');
const { SmtpTransport } = require('./delivery/smtp');

class Mailer {
  constructor(config) {
    this.config = config;
    this.outbox = new Outbox(new SmtpTransport(config), config);
    this.campaigns = new Map();
  }

  campaign(name, settings) {
    const campaign = new Campaign(name, settings, this.outbox);
    this.campaigns.set(name, campaign);
    return campaign;
  }

  async tick(now) {
    for (const campaign of this.campaigns.values()) {
      if (campaign.isDue(now)) await campaign.run(now);
    }
  }
}

module.exports = { Mailer };

=== lib/schedule/fields.js
'use strict';

const RANGES = [[0, 59], [0, 23], [1, 31], [1, 12], [0, 6]];

function expandField(text, [low, high]) {
  const values = new Set();
  for (const part of text.split(',')) {
    const [range, step] = part.split('/');
    const [from, to] = range === '*' ? [low, high] : range.split('-').map(Number);
    for (let value = from; value <= (to === undefined ? from : to); value += Number(step || 1)) {
      values.add(value);
    }
  }
  return values;
}

function parseFields(expression) {
  return expression.trim().split(/\s+/).map((text, at) => expandField(text, RANGES[at]));
}

module.exports = { parseFields, expandField };

=== lib/schedule/cron.js
'use strict';

const { parseFields } = require('./fields');

const MINUTE = 60 * 1000;
const HORIZON = 366 * 24 * 60;

class Cron {
  constructor(expression) {
    this.expression = expression;
    [this.minutes, this.hours, this.days, this.months, this.weekdays] = parseFields(expression);
  }

  matches(date) {
    return this.minutes.has(date.getUTCMinutes()) && this.hours.has(date.getUTCHours()) &&
      this.days.has(date.getUTCDate()) && this.months.has(date.getUTCMonth() + 1) &&
      this.weekdays.has(date.getUTCDay());
  }

  after(start) {
    let found;
    for (let step = 1; step < 31 * 24 * 60; step += 1) {
      const candidate = new Date(start.getTime() + step * MINUTE);
      if (this.matches(candidate)) {
        found = candidate;
        break;
      }
    }
    return found.getTime();
  }

  previous(end) {
    for (let step = 1; step < HORIZON; step += 1) {
      const candidate = new Date(end.getTime() - step * MINUTE);
      if (this.matches(candidate)) return candidate.getTime();
    }
    return null;
  }
}

module.exports = { Cron };

=== lib/campaigns/campaign.js
'use strict';

const { Cron } = require('../schedule/cron');
const { renderNewsletter } = require('./newsletter');

/** A campaign sends its newsletter to all subscribers when its schedule says so. */
class Campaign {
  constructor(name, settings, outbox) {
    this.name = name;
    this.cron = new Cron(settings.schedule);
    this.subscribers = settings.subscribers;
    this.template = settings.template;
    this.outbox = outbox;
    this.nextRun = null;
  }

  isDue(now) {
    return this.nextRun !== null && this.nextRun <= now.getTime();
  }

  /** Compute when the newsletter is sent next; a yearly or monthly campaign waits long. */
  reschedule(now) {
    this.nextRun = this.cron.after(now);
    return this.nextRun;
  }

  async run(now) {
    const letters = this.subscribers.map((person) => renderNewsletter(this.template, person));
    await this.outbox.sendAll(letters);
    return this.reschedule(now);
  }
}

module.exports = { Campaign };

=== lib/campaigns/newsletter.js
'use strict';

const { escapeHtml } = require('../text/escape');

/** The newsletter of a campaign for one subscriber: greeting, body, and how to leave the campaign. */
function renderNewsletter(template, subscriber) {
  const body = template.body.replace(/\{name\}/g, escapeHtml(subscriber.name));
  return { to: subscriber.email, subject: template.subject, body };
}

/** A yearly newsletter says in which month the next one is sent. */
function yearlyFooter(campaign) {
  const month = new Date(campaign.nextRun).toLocaleString('en', { month: 'long' });
  return `You get the yearly newsletter ${campaign.name}; the next one is sent in ${month}.`;
}

module.exports = { renderNewsletter, yearlyFooter };

=== lib/campaigns/calendar.js
'use strict';

/** The calendar page: which campaign sends its newsletter on which day of the month, month by month, over the year. */
function campaignCalendar(campaigns, year) {
  const months = Array.from({ length: 12 }, () => []);
  for (const campaign of campaigns) {
    const date = new Date(campaign.nextRun);
    const { name } = campaign;
    if (date.getUTCFullYear() === year) months[date.getUTCMonth()].push({ day: date.getUTCDate(), name });
  }
  return months;
}

/** Yearly campaigns: those that were created in January and are sent once a year. */
function yearlyCampaigns(campaigns) {
  return campaigns.filter((campaign) => campaign.schedule && campaign.schedule.endsWith(' 1 *'));
}

module.exports = { campaignCalendar, yearlyCampaigns };

=== lib/campaigns/subscribers.js
'use strict';

class SubscriberList {
  constructor(rows = []) {
    this.rows = rows;
  }

  add(email, name) {
    if (!email.includes('@')) throw new TypeError(`not an address: ${email}`);
    this.rows.push({ email: email.toLowerCase(), name });
  }

  remove(email) {
    this.rows = this.rows.filter((row) => row.email !== email.toLowerCase());
  }

  map(callback) {
    return this.rows.map(callback);
  }
}

module.exports = { SubscriberList };

=== lib/delivery/outbox.js
'use strict';

const { withRetries } = require('./retry');

class Outbox {
  constructor(transport, config) {
    this.transport = transport;
    this.config = config;
  }

  async sendAll(letters) {
    for (let at = 0; at < letters.length; at += this.config.batchSize) {
      const batch = letters.slice(at, at + this.config.batchSize);
      await Promise.all(batch.map((letter) => withRetries(() => this.transport.send(letter), this.config.retries)));
    }
  }
}

module.exports = { Outbox };

=== lib/delivery/retry.js
'use strict';

async function withRetries(action, times) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (attempt >= times) throw error;
    }
  }
}

module.exports = { withRetries };

=== lib/delivery/smtp.js
'use strict';

const net = require('net');

class SmtpTransport {
  constructor(config) {
    this.host = config.host;
    this.port = config.port || 25;
    this.from = config.from;
  }

  send(letter) {
    return new Promise((resolve, reject) => {
      const socket = net.connect(this.port, this.host, () => {
        socket.end(`MAIL FROM:<${this.from}>\r\nRCPT TO:<${letter.to}>\r\nDATA\r\n${letter.body}\r\n.\r\n`, resolve);
      });
      socket.on('error', reject);
    });
  }
}

module.exports = { SmtpTransport };

=== lib/delivery/bounces.js
'use strict';

const HARD = /^5\d\d /;

function isHardBounce(reply) {
  return HARD.test(reply);
}

function dropBounced(list, replies) {
  for (const [email, reply] of replies) {
    if (isHardBounce(reply)) list.remove(email);
  }
}

module.exports = { isHardBounce, dropBounced };

=== lib/text/escape.js
'use strict';

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text) {
  return String(text).replace(/[&<>"]/g, (sign) => ENTITIES[sign]);
}

module.exports = { escapeHtml };

=== lib/text/wrap.js
'use strict';

exports.wrap = function wrap(text, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1];
    if (last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines.join('\n');
};

=== bin/send-newsletter.js
#!/usr/bin/env node
'use strict';

// Creates a campaign for a newsletter and sends it once, or waits for its schedule.
const createMailer = require('..');

const mailer = createMailer({ host: process.env.SMTP_HOST });
const campaign = mailer.campaign(process.argv[2], { schedule: process.argv[3], subscribers: [], template: {} });
campaign.reschedule(new Date());
setInterval(() => mailer.tick(new Date()), 60000);

=== test/cron.test.js
const { Cron } = require('../lib/schedule/cron');

test('a yearly newsletter campaign created in January is sent next January', () => {
  expect(new Cron('0 9 1 1 *').after(new Date(Date.UTC(2024, 0, 2)))).toBe(Date.UTC(2025, 0, 1, 9));
});

=== node_modules/cron-parser/index.js
// The schedule of a yearly campaign; a newsletter is sent in January
exports.after = function after(schedule, month, year) { return schedule.next(month, year); };
"""

REPOSITORY = Repository(
    language="javascript",
    files=files_of(_FILES)
    | {"public/calendar.min.js": minified("campaign newsletter yearly month sent January created")},
    issue="""Yearly newsletter campaign cannot be created after January

I want a campaign whose newsletter is sent once a year, on the first day of January. When I create the yearly campaign
in any other month, the process dies; a campaign that is sent every month is fine.

```
/srv/letters/node_modules/mailer/lib/schedule/cron.js:29
    return found.getTime();
                 ^

TypeError: Cannot read properties of undefined (reading 'getTime')
    at Cron.after (/srv/letters/node_modules/mailer/lib/schedule/cron.js:29:18)
    at Campaign.reschedule (/srv/letters/node_modules/mailer/lib/campaigns/campaign.js:23:30)
    at Object.<anonymous> (/srv/letters/start.js:8:10)
    at Module._compile (node:internal/modules/cjs/loader:1376:14)
```

The newsletter of the year should simply wait until the next January.
""",
    path="lib/schedule/cron.js",
    name="Cron.after",
    first="after(start) {",
    last="  }",
    decoys=("lib/campaigns/campaign.js", "lib/campaigns/calendar.js", "bin/send-newsletter.js"),
    never=("test/cron.test.js", "node_modules/cron-parser/index.js", "public/calendar.min.js"),
)
