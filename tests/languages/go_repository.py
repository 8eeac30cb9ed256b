"""A feed reader; the issue quotes the message of an error."""

from languages.repository import Repository, files_of, minified

_FILES = r"""
=== cmd/reader/main.go
package main

import (
	"fmt"
	"os"

	"example.org/reader/internal/app"
)

func main() {
	if err := app.Run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "reader:", err)
		os.Exit(1)
	}
}

=== internal/app/run.go
package app

import (
	"time"

	"example.org/reader/internal/config"
	"example.org/reader/internal/feed"
	"example.org/reader/internal/fetch"
	"example.org/reader/internal/store"
)

// Run reads all feeds once.
func Run(args []string) error {
	settings, err := config.Load(args)
	if err != nil {
		return err
	}
	db := store.Open(settings.Folder)
	for _, url := range settings.Feeds {
		body, err := fetch.Get(url, 10*time.Second)
		if err != nil {
			return err
		}
		items, err := feed.Parse(body)
		if err != nil {
			return err
		}
		db.Add(url, items)
	}
	return db.Save()
}

=== internal/config/config.go
package config

import (
	"bufio"
	"os"
	"strings"
)

// Settings is what the user set.
type Settings struct {
	Folder string
	Feeds  []string
}

// Load reads the list of feeds, one address a line.
func Load(args []string) (*Settings, error) {
	file, err := os.Open(args[0])
	if err != nil {
		return nil, err
	}
	defer file.Close()
	settings := &Settings{Folder: "."}
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		if line := strings.TrimSpace(scanner.Text()); line != "" {
			settings.Feeds = append(settings.Feeds, line)
		}
	}
	return settings, scanner.Err()
}

=== internal/fetch/fetch.go
package fetch

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

// Get gives the body behind an address.
func Get(url string, timeout time.Duration) ([]byte, error) {
	client := &http.Client{Timeout: timeout}
	response, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", url, response.Status)
	}
	return io.ReadAll(response.Body)
}

=== internal/fetch/backoff.go
package fetch

import "time"

// Backoff doubles the pause after each failure.
type Backoff struct {
	pause time.Duration
}

func (b *Backoff) Next() time.Duration {
	if b.pause == 0 {
		b.pause = time.Second
	}
	b.pause *= 2
	return b.pause
}

=== internal/feed/item.go
package feed

import "time"

// Item is an entry of a feed.
type Item struct {
	Title     string
	Link      string
	Published time.Time
}

=== internal/feed/parse.go
package feed

import (
	"encoding/xml"

	"example.org/reader/internal/dates"
)

type document struct {
	Items []struct {
		Title   string `xml:"title"`
		Link    string `xml:"link"`
		PubDate string `xml:"pubDate"`
	} `xml:"channel>item"`
}

// Parse reads RSS.
func Parse(body []byte) ([]Item, error) {
	var doc document
	if err := xml.Unmarshal(body, &doc); err != nil {
		return nil, err
	}
	var items []Item
	for _, entry := range doc.Items {
		published, err := dates.Read(entry.PubDate)
		if err != nil {
			return nil, err
		}
		items = append(items, Item{entry.Title, entry.Link, published})
	}
	return items, nil
}

=== internal/dates/read.go
package dates

import (
	"fmt"
	"strings"
	"time"
)

var layouts = []string{time.RFC1123Z, time.RFC1123, time.RFC3339, "2006-01-02"}

var zones = map[string]int{"EST": -5, "EDT": -4, "PST": -8, "PDT": -7}

// Read accepts RFC 1123 and RFC 3339.
func Read(text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return withZone(text)
}

func withZone(text string) (time.Time, error) {
	at := strings.LastIndexByte(text, ' ')
	hours, known := zones[text[at+1:]]
	if at < 0 || !known {
		return time.Time{}, fmt.Errorf("no layout understands %q, last tried with a zone abbreviation", text)
	}
	t, err := time.Parse("Mon, 02 Jan 2006 15:04:05", text[:at])
	return t.Add(time.Duration(-hours) * time.Hour), err
}

=== internal/dates/show.go
package dates

import (
	"fmt"
	"time"
)

// Ago says how long ago a time was.
func Ago(t, now time.Time) string {
	switch passed := now.Sub(t); {
	case passed < time.Hour:
		return fmt.Sprintf("%d min", int(passed.Minutes()))
	case passed < 24*time.Hour:
		return fmt.Sprintf("%d h", int(passed.Hours()))
	default:
		return t.Format("2 Jan 2006")
	}
}

=== internal/store/store.go
package store

import (
	"encoding/json"
	"os"
	"path/filepath"

	"example.org/reader/internal/feed"
)

// Store keeps the items of all feeds.
type Store struct {
	path  string
	items map[string][]feed.Item
}

func Open(folder string) *Store {
	return &Store{path: filepath.Join(folder, "items.json"), items: map[string][]feed.Item{}}
}

func (s *Store) Add(url string, items []feed.Item) {
	s.items[url] = append(s.items[url], items...)
}

func (s *Store) Save() error {
	data, err := json.Marshal(s.items)
	if err != nil {
		return err
	}
	return os.WriteFile(s.path, data, 0o600)
}

=== internal/store/prune.go
package store

import "time"

// Prune forgets items that are older than an age.
func (s *Store) Prune(now time.Time, age time.Duration) int {
	dropped := 0
	for url, items := range s.items {
		kept := items[:0]
		for _, item := range items {
			if now.Sub(item.Published) < age {
				kept = append(kept, item)
			}
		}
		dropped += len(items) - len(kept)
		s.items[url] = kept
	}
	return dropped
}

=== internal/podcast/episodes.go
package podcast

import "example.org/reader/internal/feed"

// Episodes gives the episodes of a podcast feed: no other item is read, and the last one had the radio stop.
func Episodes(items []feed.Item) []feed.Item {
	var episodes []feed.Item
	for _, item := range items {
		if !item.Published.IsZero() {
			episodes = append(episodes, item)
		}
	}
	return episodes
}

// Summer tells episodes that a station published in summer, when the clocks of Europe are one hour ahead.
func Summer(episodes []feed.Item) int {
	count := 0
	for _, episode := range episodes {
		if month := episode.Published.Month(); month > 3 && month < 11 {
			count++
		}
	}
	return count
}

=== internal/podcast/sender.go
package podcast

// Sender is a radio station; its podcasts are there since a summer, winter or not.
type Sender struct {
	Name  string
	Feeds []string
}

// Healthy says whether no feed stops the reader.
func (s *Sender) Healthy(stopped map[string]bool) bool {
	for _, address := range s.Feeds {
		if stopped[address] {
			return false
		}
	}
	return true
}

=== internal/podcast/line.go
package podcast

import "fmt"

// SenderLine is the line of a radio station with its podcast; the date of no other is there.
func SenderLine(station *Sender, stopped map[string]bool) string {
	if station.Healthy(stopped) {
		return fmt.Sprintf("%s: every feed of the station is read", station.Name)
	}
	return fmt.Sprintf("%s: the reader stopped with an error since one feed of the radio cannot be read", station.Name)
}

=== internal/ui/list.go
package ui

import (
	"fmt"
	"time"

	"example.org/reader/internal/dates"
	"example.org/reader/internal/feed"
)

// Print lists items, newest first.
func Print(items []feed.Item, now time.Time) {
	for at := len(items) - 1; at >= 0; at-- {
		fmt.Printf("%-8s %s\n", dates.Ago(items[at].Published, now), items[at].Title)
	}
}

=== internal/dates/read_test.go
package dates

import "testing"

func TestRadioStationFeedOfSummerIsRead(t *testing.T) {
	if _, err := Read("Tue, 04 Jun 2024 18:00:00 CEST"); err != nil {
		t.Fatal("no layout understands the zone abbreviation of the podcast", err)
	}
}

=== vendor/example.org/radio/dates.go
package radio

// No layout understands the podcast of a radio station in summer; the last one tried has a zone abbreviation.
func Read(station, podcast, summer string) string { return station + podcast + summer }
"""

REPOSITORY = Repository(
    language="go",
    files=files_of(_FILES)
    | {"web/radio.min.js": minified("podcast feed radio station summer layout zone reader stopped")},
    issue="""Podcast of a station is not read since summer (zone abbreviation?)

The reader stops at this podcast, so that no other feed of my radio is read. It says
`no layout understands "Tue, 04 Jun 2024 18:00:00 CEST", last tried with a zone abbreviation`.

In winter the station had `CET` in each date of the feed.
""",
    path="internal/dates/read.go",
    name="withZone",
    first="func withZone(text string) (time.Time, error) {",
    last="}",
    decoys=("internal/podcast/sender.go", "internal/podcast/line.go", "internal/podcast/episodes.go"),
    never=("internal/dates/read_test.go", "vendor/example.org/radio/dates.go", "web/radio.min.js"),
)
