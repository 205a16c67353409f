// A bot that plays random legal actions in every match it is invited to, over one Play stream. It shows everything that a
// bot has to do: authenticate, accept, answer, and reconnect after a lost connection. To make it yours, rewrite choose.
package main

import (
	"context"
	"crypto/hmac"
	crand "crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"log"
	"math/rand"
	"net"
	"net/url"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
	"unicode"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "dragontooth/v1"
)

// Exit codes.
const (
	exitUsage       = 2
	exitUnreachable = 3
	exitRefused     = 4
	exitSuperseded  = 5
)

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 10 * time.Second
	// Age of a stream after whose end the pauses begin anew.
	steady = time.Second
	// Time during which the service may be unreachable.
	patience = 10 * time.Minute
)

// choose picks one of the legal actions: this is where your bot thinks. The decision also has the position, the score
// and both clocks.
func choose(decision *pb.Decision) string {
	return decision.LegalActions[rand.Intn(len(decision.LegalActions))]
}

// drawSecret is the secret of this player's shares of the dice: one of the tournament, or else a random one.
var drawSecret = func() string {
	if secret := os.Getenv("DRAGONTOOTH_DRAW_SECRET"); secret != "" {
		return secret
	}
	bytes := make([]byte, 32)
	if _, err := crand.Read(bytes); err != nil {
		panic(err)
	}
	return hex.EncodeToString(bytes)
}()

// share is this player's contribution to the random draws of the matches with this commitment, so that nobody can choose
// them. Matches that share a seed get the same one.
func share(commitment string) string {
	mac := hmac.New(sha256.New, []byte(drawSecret))
	mac.Write([]byte("dragontooth.share.v1\x00" + commitment))
	return hex.EncodeToString(mac.Sum(nil))
}

// ask calls choose. A panic in it is the failure of this match; the other matches continue.
func ask(decision *pb.Decision) (action, failure string) {
	defer func() {
		if why := recover(); why != nil {
			failure = fmt.Sprintf("panic: %v", why)
			log.Printf("match %s: %s\n%s", decision.MatchId, failure, debug.Stack())
		}
	}()
	return choose(decision), ""
}

func main() {
	log.SetFlags(log.Ltime | log.Lmicroseconds)
	rand.Seed(time.Now().UnixNano())
	token := os.Getenv("DRAGONTOOTH_TOKEN")
	if token == "" {
		fail(exitUsage, "DRAGONTOOTH_TOKEN is not set: it is the player's secret, 16 to 256 visible ASCII characters")
	}
	// A signal ends the program.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	addresses, err := parse(os.Getenv("DRAGONTOOTH_SERVER"))
	if err != nil {
		fail(exitUsage, err.Error())
	}
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)

	// The last request in each match, to send it again: a decision that is repeated gets the same answer.
	last := map[string]*pb.PlayRequest{}
	pause, heard := firstPause, time.Now()
	// The addresses are replicas of one service: where a stream ends, the next one may go on.
	for at := 0; ; at = (at + 1) % len(addresses) {
		begun, address := time.Now(), addresses[at]
		opened, err := address.play(ctx, last)
		if ctx.Err() != nil {
			return
		}
		switch status.Code(err) {
		case codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument, codes.Unimplemented:
			fail(exitRefused, address.name+" refuses: "+explain(err))
		}
		if opened {
			heard = time.Now()
			// A service that ends every stream at once is not flooded.
			if heard.Sub(begun) > steady {
				pause = firstPause
			}
		}
		if time.Since(heard) > patience {
			fail(exitUnreachable, "no connection to "+address.name+": "+explain(err))
		}
		var wait time.Duration
		wait, pause = backOff(pause, 0)
		log.Printf("disconnected from %s: %s; trying again in %s", address.name, explain(err), wait)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// backOff returns the time to wait after a failure, at least the one that the service asked for, and the pause for the
// next failure. The random part keeps bots that failed together from trying again together.
func backOff(pause, asked time.Duration) (wait, next time.Duration) {
	if wait, next = pause/2, 2*pause; wait < asked {
		wait = asked
	}
	if next > lastPause {
		next = lastPause
	}
	return wait + time.Duration(rand.Int63n(int64(pause/2))), next
}

// address is where a service is, and how to connect to it.
type address struct {
	name, host string
	security   grpc.DialOption
}

// parse reads addresses, separated by commas: http://host:port, which may be written host:port, or with TLS
// https://host:port.
func parse(servers string) (addresses []address, err error) {
	if servers == "" {
		servers = "http://127.0.0.1:4640"
	}
	for _, server := range strings.Split(servers, ",") {
		server = strings.TrimSpace(server)
		hasScheme := strings.Contains(server, "://")
		if !hasScheme {
			server = "http://" + server
		}
		parsed, err := url.Parse(server)
		if err != nil || parsed.Hostname() == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") ||
			(parsed.Port() == "" && !hasScheme) {
			return nil, fmt.Errorf("%q is not an address of a service such as http://127.0.0.1:4640", server)
		}
		if parsed.Scheme == "http" && !isLoopback(parsed.Hostname()) && os.Getenv("DRAGONTOOTH_INSECURE_NO_TLS") != "true" {
			return nil, fmt.Errorf("the token would cross the network in the clear: %s does not use TLS; use https://, or "+
				"allow it with DRAGONTOOTH_INSECURE_NO_TLS=true", server)
		}
		host, security := parsed.Host, grpc.WithInsecure()
		if parsed.Port() == "" {
			host += map[string]string{"http": ":80", "https": ":443"}[parsed.Scheme]
		}
		if parsed.Scheme == "https" {
			certificates := credentials.NewTLS(&tls.Config{})
			if file := os.Getenv("DRAGONTOOTH_TLS_CA"); file != "" {
				if certificates, err = credentials.NewClientTLSFromFile(file, ""); err != nil {
					return nil, err
				}
			}
			security = grpc.WithTransportCredentials(certificates)
		}
		addresses = append(addresses, address{server, host, security})
	}
	return addresses, nil
}

// isLoopback returns true if a host is this machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// play serves one stream to its end and returns true if it was opened. A new stream repeats everything that is due.
func (at address) play(ctx context.Context, last map[string]*pb.PlayRequest) (opened bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Pings find out that an idle connection is dead.
	alive := keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 20 * time.Second}
	connection, err := grpc.Dial(at.host, at.security, grpc.WithKeepaliveParams(alive))
	if err != nil {
		return false, err
	}
	defer connection.Close()
	stream, err := pb.NewGameServiceClient(connection).Play(ctx)
	if err != nil {
		return false, err
	}
	start := &pb.PlayRequest{Request: &pb.PlayRequest_Start_{Start: &pb.PlayRequest_Start{}}}
	if err := stream.Send(start); err != nil {
		_, err = stream.Recv()
		return false, err
	}
	messages, ended := make(chan *pb.PlayResponse), make(chan error, 1)
	go func() {
		for {
			message, err := stream.Recv()
			if err != nil {
				ended <- err
				return
			}
			select {
			case messages <- message:
			case <-ctx.Done():
				return
			}
		}
	}()
	// The matches whose last request may be granted now, and the pauses of those that were refused for now.
	again, pauses := make(chan string), map[string]time.Duration{}
	// A request that cannot be sent becomes due again on the next stream; Recv returns the reason.
	send := func(matchID string, request *pb.PlayRequest) {
		last[matchID] = request
		_ = stream.Send(request)
	}
	for {
		select {
		case err := <-ended:
			return opened, err
		case matchID := <-again:
			if request := last[matchID]; request != nil {
				_ = stream.Send(request)
			}
		case message := <-messages:
			opened = true
			if delay, matchID := handle(message, last, pauses, send); matchID != "" {
				time.AfterFunc(delay, func() {
					select {
					case again <- matchID:
					case <-ctx.Done():
					}
				})
			}
		}
	}
}

// handle does what a message asks for. It returns a match whose last request was refused for now, and the time after
// which to send it again, which grows with each refusal; the other matches go on meanwhile.
func handle(
	message *pb.PlayResponse, last map[string]*pb.PlayRequest, pauses map[string]time.Duration,
	send func(matchID string, request *pb.PlayRequest),
) (delay time.Duration, refusedForNow string) {
	switch said := message.Response.(type) {
	case *pb.PlayResponse_Ready_:
		log.Printf("connected as player %s", said.Ready.PlayerId)
	case *pb.PlayResponse_Invitation_:
		match := said.Invitation.Match
		accept := &pb.PlayRequest_AcceptInvitation{MatchId: match.Id, Name: "go-random", Seed: share(match.SeedCommitment)}
		send(match.Id, &pb.PlayRequest{Request: &pb.PlayRequest_AcceptInvitation_{AcceptInvitation: accept}})
	case *pb.PlayResponse_Decision:
		decision := said.Decision
		answer := last[decision.MatchId].GetAnswer()
		if answer == nil || answer.DecisionId != decision.DecisionId {
			action, failure := ask(decision)
			if failure != "" {
				send(decision.MatchId, resign(decision.MatchId, failure))
				break
			}
			answer = &pb.PlayRequest_Answer{
				MatchId: decision.MatchId, DecisionId: decision.DecisionId, Action: action,
				// The same answer to the same decision is the same request, however often it is sent.
				RequestId: fmt.Sprintf("%s:%d", decision.MatchId, decision.DecisionId),
			}
		}
		send(decision.MatchId, &pb.PlayRequest{Request: &pb.PlayRequest_Answer_{Answer: answer}})
	case *pb.PlayResponse_AnswerAccepted_:
		delete(pauses, said.AnswerAccepted.MatchId)
	case *pb.PlayResponse_Refused_:
		matchID, refused := said.Refused.MatchId, status.FromProto(said.Refused.Status)
		log.Printf("match %s: refused: %s", matchID, explain(refused.Err()))
		if asked, passes := retryDelay(refused); passes {
			if pauses[matchID] == 0 {
				pauses[matchID] = firstPause
			}
			delay, pauses[matchID] = backOff(pauses[matchID], asked)
			return delay, matchID
		}
		switch reason(refused) {
		case "ILLEGAL_ACTION", "ACTION_UNREADABLE", "FIELD_INVALID":
			// It would choose the same again, so the opponent should not have to wait.
			send(matchID, resign(matchID, explain(refused.Err())))
		case "REQUEST_ID_REUSED":
			// An earlier run of this program gave another answer, which was refused.
			if answer := last[matchID].GetAnswer(); answer != nil {
				answer.RequestId += "+"
				send(matchID, last[matchID])
			}
		}
	case *pb.PlayResponse_MatchClosed_:
		match := said.MatchClosed.Match
		delete(last, match.Id)
		delete(pauses, match.Id)
		log.Printf("match %s ended: %s, %s", match.Id, match.Outcome.GetWinner(), match.Outcome.GetTermination())
	case *pb.PlayResponse_Closing_:
		if said.Closing.Reason == pb.CloseReason_CLOSE_REASON_SUPERSEDED {
			fail(exitSuperseded, "another program is now playing with the same token")
		}
	}
	return 0, ""
}

// resign gives a match up because of a failure, which the service publishes: one line of at most 1024 bytes.
func resign(matchID, failure string) *pb.PlayRequest {
	line := strings.Map(func(letter rune) rune {
		if unicode.IsControl(letter) {
			return ' '
		}
		return letter
	}, failure)
	if len(line) > 1024 {
		line = strings.ToValidUTF8(line[:1024], "")
	}
	given := &pb.PlayRequest_Resign{MatchId: matchID, Reason: line}
	return &pb.PlayRequest{Request: &pb.PlayRequest_Resign_{Resign: given}}
}

// explain returns the message of an error with its reason, which docs/errors.md explains, or else its code.
func explain(err error) string {
	refusal := status.Convert(err)
	if reason := reason(refusal); reason != "" {
		return fmt.Sprintf("%s (%s)", refusal.Message(), reason)
	}
	return fmt.Sprintf("%s (%s)", refusal.Message(), refusal.Code())
}

// reason returns the reason for programs; it is empty if the request did not reach the service's own code.
func reason(refusal *status.Status) string {
	for _, detail := range refusal.Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info.Reason
		}
	}
	return ""
}

// retryDelay returns the time after which the same request may succeed, and whether it may at all.
func retryDelay(refusal *status.Status) (time.Duration, bool) {
	for _, detail := range refusal.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			delay := info.RetryDelay
			return time.Duration(delay.GetSeconds())*time.Second + time.Duration(delay.GetNanos()), true
		}
	}
	return 0, false
}

func fail(code int, message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(code)
}
