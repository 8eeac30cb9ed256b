"""A booking page in React; the issue names a component and its property."""

from languages.repository import Repository, files_of, minified

_FILES = r"""
=== src/App.tsx
import React from 'react';
import { BookingPage } from './booking/BookingPage';
import { ThemeProvider } from './theme/ThemeProvider';

export function App(): JSX.Element {
  return (
    <ThemeProvider>
      <BookingPage />
    </ThemeProvider>
  );
}

=== src/theme/ThemeProvider.tsx
import React, { createContext, useContext } from 'react';

const Theme = createContext({ accent: '#246', dark: false });

export function ThemeProvider({ children }: React.PropsWithChildren<{}>): JSX.Element {
  return <Theme.Provider value={{ accent: '#246', dark: false }}>{children}</Theme.Provider>;
}

export const useTheme = () => useContext(Theme);

=== src/dates/format.ts
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });

export function formatDay(date: Date): string {
  return DAY.format(date);
}

export function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10);
}

=== src/dates/month.ts
const MS_PER_DAY = 86_400_000;

/** The days of a month's sheet, Monday first. */
export function daysOfMonth(year: number, month: number): Date[] {
  const first = new Date(Date.UTC(year, month, 1));
  const offset = (first.getUTCDay() + 6) % 7;
  return Array.from({ length: 42 }, (_, at) => new Date(first.getTime() + (at - offset) * MS_PER_DAY));
}

=== src/widgets/Button.tsx
import React from 'react';
import { useTheme } from '../theme/ThemeProvider';

type Props = { label: string; disabled?: boolean; onPress: () => void };

export function Button({ label, disabled, onPress }: Props): JSX.Element {
  const { accent } = useTheme();
  return (
    <button style={{ background: accent }} disabled={disabled} onClick={onPress}>
      {label}
    </button>
  );
}

=== src/widgets/Stepper.tsx
import React from 'react';
import { Button } from './Button';

type Props = { value: number; min: number; max: number; onChange: (value: number) => void };

export function Stepper({ value, min, max, onChange }: Props): JSX.Element {
  return (
    <span>
      <Button label="-" disabled={value <= min} onPress={() => onChange(value - 1)} />
      {value}
      <Button label="+" disabled={value >= max} onPress={() => onChange(value + 1)} />
    </span>
  );
}

=== src/widgets/MonthGrid.tsx
import React from 'react';
import { daysOfMonth } from '../dates/month';
import { DayCell } from './DayCell';

type Props = { year: number; month: number; minDate?: Date; maxDate?: Date; onPick: (day: Date) => void };

function isOutside(day: Date, minDate?: Date, maxDate?: Date): boolean {
  return (minDate !== undefined && day < minDate) || (maxDate !== undefined && day > maxDate);
}

export const MonthGrid = React.memo(function MonthGrid({ year, month, minDate, maxDate, onPick }: Props) {
  return (
    <div role="grid">
      {daysOfMonth(year, month).map((day) => (
        <DayCell key={day.getTime()} day={day} muted={day.getUTCMonth() !== month} onPick={onPick} />
      ))}
      <footer>{isOutside(new Date(), minDate, maxDate) ? 'Today is not on this sheet' : null}</footer>
    </div>
  );
});

=== src/widgets/DayCell.tsx
import React from 'react';

type Props = { day: Date; muted: boolean; disabled?: boolean; onPick: (day: Date) => void };

export function DayCell({ day, muted, disabled, onPick }: Props): JSX.Element {
  return (
    <button role="gridcell" aria-disabled={disabled} className={muted ? 'muted' : ''} onClick={() => onPick(day)}>
      {day.getUTCDate()}
    </button>
  );
}

=== src/booking/BookingPage.tsx
import React, { useState } from 'react';
import { RoomList } from './RoomList';
import { Summary } from './Summary';
import { GuestForm } from './GuestForm';
import { MonthGrid } from '../widgets/MonthGrid';
import { useRooms } from './useRooms';

/** The page on which guests choose a day of arrival and book a room of the hotel. */
export function BookingPage(): JSX.Element {
  const [day, setDay] = useState<Date | null>(null);
  const rooms = useRooms(day);
  const today = new Date();
  return (
    <main>
      <MonthGrid year={today.getFullYear()} month={today.getMonth()} minDate={today} onPick={setDay} />
      <RoomList rooms={rooms} />
      <GuestForm day={day} />
      <Summary day={day} rooms={rooms} />
    </main>
  );
}

=== src/booking/RoomList.tsx
import React from 'react';
import type { Room } from './useRooms';

export function RoomList({ rooms }: { rooms: Room[] }): JSX.Element {
  return (
    <ul>
      {rooms.map((room) => (
        <li key={room.id}>
          {room.name} for {room.beds}
        </li>
      ))}
    </ul>
  );
}

=== src/booking/useRooms.ts
import { useEffect, useState } from 'react';
import { isoDay } from '../dates/format';

export type Room = { id: string; name: string; beds: number; price: number };

export function useRooms(day: Date | null): Room[] {
  const [rooms, setRooms] = useState<Room[]>([]);
  useEffect(() => {
    if (day) fetch(`/api/rooms?day=${isoDay(day)}`).then((answer) => answer.json()).then(setRooms);
  }, [day]);
  return rooms;
}

=== src/booking/Summary.tsx
import React from 'react';
import { formatDay } from '../dates/format';
import type { Room } from './useRooms';

/** What guests book: the day of arrival they picked, the rooms, and the price they pay to the hotel. */
export function Summary({ day, rooms }: { day: Date | null; rooms: Room[] }): JSX.Element {
  const price = rooms.reduce((sum, room) => sum + room.price, 0);
  return <p>{day ? `Guests arrive on ${formatDay(day)} and pay ${price}` : 'Guests picked no day yet'}</p>;
}

=== src/booking/GuestForm.tsx
import React, { useState } from 'react';
import { Button } from '../widgets/Button';
import { Stepper } from '../widgets/Stepper';

/** Guests give their names; a booking before today, or for a day in the past, is refused only at the end. */
export function GuestForm({ day }: { day: Date | null }): JSX.Element {
  const [guests, setGuests] = useState(1);
  const refused = day !== null && day < new Date();
  return (
    <form>
      <Stepper value={guests} min={1} max={6} onChange={setGuests} />
      <p>{refused ? 'The day of arrival you picked is in the past: guests can only book days after today' : null}</p>
      <Button label="Book" disabled={refused} onPress={() => fetch('/api/book', { method: 'POST' })} />
    </form>
  );
}

=== src/booking/Arrivals.tsx
import React from 'react';
import { formatDay } from '../dates/format';

/** For the hotel: guests who arrive today, and those whose day of arrival is in the past and who did not come. */
export function Arrivals({ guests }: { guests: { name: string; day: Date }[] }): JSX.Element {
  const past = guests.filter((guest) => guest.day < new Date());
  return (
    <section>
      {past.map((guest) => (
        <p key={guest.name}>Guests picked {formatDay(guest.day)}, a day before today that can still be clicked</p>
      ))}
    </section>
  );
}

=== src/admin/Prices.tsx
import React from 'react';
import type { Room } from '../booking/useRooms';

export function Prices({ rooms, onSave }: { rooms: Room[]; onSave: (room: Room) => void }): JSX.Element {
  return (
    <table>
      {rooms.map((room) => (
        <tr key={room.id} onBlur={() => onSave(room)}>
          <td>{room.name}</td>
          <td contentEditable>{room.price}</td>
        </tr>
      ))}
    </table>
  );
}

=== src/widgets/MonthGrid.test.tsx
test('guests of the hotel cannot pick a day before minDate: days in the past are disabled in the MonthGrid', () => {
  render(<MonthGrid year={2024} month={1} minDate={new Date()} onPick={() => {}} />);
});

=== third_party/calendar/MonthGrid.tsx
/** Days in the past are grey and cannot be clicked before today. */
export function MonthGrid(props) { return <div>{props.minDate}</div>; }
"""

REPOSITORY = Repository(
    language="tsx",
    files=files_of(_FILES)
    | {"public/booking.min.js": minified("guests hotel arrival picked past today MonthGrid minDate")},
    issue="""`minDate` of <MonthGrid> greys out nothing

Guests of our hotel can still click a day in the past as their day of arrival, though the page gives `minDate` (today).
They picked such a day, gave their names, and only at the end the booking was refused. Days before today should be
`aria-disabled` in the grid.
""",
    path="src/widgets/MonthGrid.tsx",
    name="MonthGrid",
    first="export const MonthGrid = React.memo(function MonthGrid({ year, month, minDate, maxDate, onPick }: Props) {",
    last="});",
    decoys=("src/booking/GuestForm.tsx", "src/booking/Arrivals.tsx", "src/booking/BookingPage.tsx"),
    never=("src/widgets/MonthGrid.test.tsx", "third_party/calendar/MonthGrid.tsx", "public/booking.min.js"),
)
