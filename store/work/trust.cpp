// Verdicts that rest on a warm worker's word until its whole state has been looked at.
#include "store/work/trust.h"
#include "store/base/connection.h"
#include "store/base/rows.h"

namespace parityd::store {
namespace {

void forget_settled(Connection& connection, Id program) {
  connection.run("forget a word that nothing rests on",
                 "DELETE FROM trust WHERE program = ? AND unsettled = 0 AND again = 0", program);
}

}  // namespace

void Trust::note_unsettled(Id program) {
  connection_.run("note whose word a verdict rests on",
                  "INSERT INTO trust (program, unsettled, again) VALUES (?, 1, 0) "
                  "ON CONFLICT (program) DO UPDATE SET unsettled = unsettled + 1",
                  program);
}

void Trust::settle(Id program) {
  connection_.run("note that a word holds", "UPDATE trust SET unsettled = max(0, unsettled - 1) WHERE program = ?",
                  program);
  forget_settled(connection_, program);
}

void Trust::unsettle(Id program) {
  connection_.run("note that a word does not hold", "UPDATE trust SET unsettled = 0 WHERE program = ?", program);
  forget_settled(connection_, program);
}

int Trust::note_again(Id program, bool counts) {
  connection_.run("note a program that is judged again",
                  "INSERT INTO trust (program, unsettled, again) VALUES (?1, 0, 1) "
                  "ON CONFLICT (program) DO UPDATE SET unsettled = 0, again = max(again + ?2, 1)",
                  program, counts);
  return times_judged_again(program);
}

int Trust::times_judged_again(Id program) const {
  Rows rows =
      connection_.query("read whose word a verdict rests on", "SELECT again FROM trust WHERE program = ?", program);
  int times = 0;
  if (rows.next()) rows.read(times);
  return times;
}

std::vector<Id> Trust::unsettled() const {
  return ids_from(connection_.query("read whose word verdicts rest on",
                                    "SELECT program FROM trust WHERE unsettled > 0 ORDER BY program"));
}

std::vector<Id> Trust::queued_again() const {
  return ids_from(connection_.query("list programs that are judged again",
                                    "SELECT t.program FROM trust t JOIN programs p ON p.id = t.program "
                                    "WHERE t.again > 0 AND p.state = 'queued' ORDER BY t.program"));
}

}  // namespace parityd::store
